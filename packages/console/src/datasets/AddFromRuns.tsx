// Makes items of a dataset out of what people have really asked: the latest runs of a component.
import type { Kind, RunItem } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { runsOf } from "../chat/Conversation.ts"
import { inputOf } from "../chat/StoredTurns.ts"
import { Problem } from "../parts/Problem.tsx"
import { useSending } from "../resources/useSending.ts"
import { route } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { chosenComponent, useComponentChoices } from "../service/componentChoices.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Question {
  readonly run_id: string
  readonly input: string
  readonly answer: string
}

/** Each of them is read. */
const count = 20

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? "")

const read = (kind: Kind, id: string, signal: AbortSignal) => async ({ run_id, session_id }: RunItem) => {
  const run: { readonly input?: unknown; readonly content?: unknown } = await runsOf({ kind, id }).get(
    { run_id, session_id },
    { signal }
  )
  return { run_id, input: textOf(inputOf(run)), answer: textOf(run.content) }
}

/** The same question is there once. */
const load = async (choice: string, signal: AbortSignal): Promise<ReadonlyArray<Question>> => {
  const chosen = chosenComponent(choice)
  if (chosen === undefined) return []
  const { id, kind } = chosen
  const { data } = await svc().runs.list(
    { type: kind, component_id: id, status: "COMPLETED", limit: count },
    { signal }
  )
  const questions = await Promise.all(data.map(read(kind, id, signal)))
  return [...new Map(questions.filter(({ input }) => input !== "").map((each) => [each.input, each])).values()]
}

interface Props {
  readonly dataset_id: string
  readonly done: () => void
}

const Questions = ({ dataset_id, done }: Props) => {
  const choices = useComponentChoices(["agent", "team"])
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const component = typed ?? choices[0]?.[0] ?? ""
  const { isLoading, problem, reload, value } = useLoaded((signal) => load(component, signal), [component])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [hasAnswers, setAnswers] = useState(false)
  const { isSending, problem: failure, send } = useSending()
  const questions = value ?? []
  const taken = questions.filter(({ run_id }) => chosen.has(run_id))
  const add = () => {
    const put = taken.map(({ answer, input }) => ({ input, ...(hasAnswers ? { expected_output: answer } : {}) }))
    send(() => svc().datasets.changeItems(dataset_id, { put }), () => {
      setChosen(new Set())
      done()
    })
  }
  return (
    <form
      aria-label="Add real questions"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <p class="filters">
        <label>
          Component
          <select value={component} onChange={({ currentTarget: { value } }) => setTyped(value)}>
            {choices.map(([each, title]) => <option key={each} value={each}>{title}</option>)}
          </select>
        </label>
      </p>
      <Problem error={problem} retry={reload} />
      {questions.length === 0
        ? <p class="quiet">{isLoading ? "Reading …" : "It has no completed runs yet. Ask it something in the chat."}</p>
        : (
          <ul class="questions">
            {questions.map(({ answer, input, run_id }) => (
              <li key={run_id}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={chosen.has(run_id)}
                    onChange={({ currentTarget: { checked } }) =>
                      setChosen(new Set([...chosen].filter((id) => id !== run_id).concat(checked ? [run_id] : [])))}
                  />
                  <span>
                    {input.slice(0, 300)} <span class="quiet cut">{answer.slice(0, 200)}</span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
        )}
      <label class="check">
        <input
          type="checkbox"
          checked={hasAnswers}
          onChange={({ currentTarget: { checked } }) => setAnswers(checked)}
        />
        Their answers are the expected ones
      </label>
      <Problem error={failure} />
      <p class="actions">
        <button class="primary" disabled={isSending || taken.length === 0}>
          {taken.length === 0
            ? "Add questions"
            : taken.length === 1
            ? "Add 1 question"
            : `Add ${taken.length} questions`}
        </button>
        {questions.length === 0 ?
          null :
          (
            <button type="button" onClick={() => setChosen(new Set(questions.map(({ run_id }) => run_id)))}>
              Choose all
            </button>
          )}
      </p>
    </form>
  )
}

export const AddFromRuns = (props: Props) => {
  const [isOpen, setOpen] = useState(route.value.query["from"] === "runs")
  if (!may("evals:write") || !may("sessions:read")) return null
  return (
    <details class="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Add real questions</summary>
      {isOpen ? <Questions {...props} /> : null}
    </details>
  )
}
