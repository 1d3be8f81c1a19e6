// What the variants get: a message, or the items of a dataset.
import type { Kind } from "@svc-runtime/client"
import { Play, Square } from "lucide"
import { useState } from "preact/hooks"
import { runsOf } from "../chat/Conversation.ts"
import { inputOf } from "../chat/StoredTurns.ts"
import { scorerFields } from "../experiments/scorers.ts"
import { Icon } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { href, route } from "../Route.ts"
import { kindOf } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { inTab } from "../storage.ts"
import { filled, variablesIn } from "./variables.ts"

interface MessageProps {
  readonly isBusy: boolean
  readonly names: ReadonlyArray<string>
  readonly run: (message: string) => void
  readonly stop: () => void
}

/** The input of a run, to begin with. */
const inputOfRun = async (kind: Kind, id: string, run_id: string, session_id: string, signal: AbortSignal) => {
  const record: { readonly input?: unknown } = await runsOf({ kind, id }).get({ run_id, session_id }, { signal })
  const input = inputOf(record)
  return typeof input === "string" ? input : JSON.stringify(input ?? "")
}

export const MessageForm = ({ isBusy, names, run, stop }: MessageProps) => {
  const { path: [, text, id = ""], query: { run: run_id, session } } = route.value
  const kind = kindOf(text) ?? "agent"
  const { value: initial } = useLoaded(
    (signal) =>
      run_id === undefined || session === undefined
        ? Promise.resolve("")
        : inputOfRun(kind, id, run_id, session, signal).catch(() => ""),
    [kind, id, run_id, session]
  )
  // what was typed is there again when the person comes back
  const key = `svc.draft.playground.${kind}.${id}.${run_id ?? ""}`
  const [typed, setTyped] = useState(inTab.get(key))
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const message = typed ?? initial ?? ""
  const variables = variablesIn(message)
  const isReady = message.trim() !== "" && variables.every((name) => (values[name] ?? "") !== "")
  const send = () => {
    if (!isBusy && isReady) run(filled(message, values))
  }
  return (
    <form
      class="input-of-run"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        aria-label="Message"
        rows={3}
        dir="auto"
        value={message}
        placeholder="What a person would write. {{name}} is a variable."
        onInput={({ currentTarget: { value } }) => {
          setTyped(value)
          inTab.set(key, value)
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          send()
        }}
      />
      {variables.length === 0 ? null : (
        <div class="settings">
          {variables.map((name) => (
            <label key={name}>
              {name}
              <input
                value={values[name] ?? ""}
                onInput={({ currentTarget: { value } }) => setValues((values) => ({ ...values, [name]: value }))}
              />
            </label>
          ))}
        </div>
      )}
      <p class="actions">
        {isBusy
          ? (
            <button type="button" onClick={stop}>
              <Icon of={Square} /> Stop
            </button>
          )
          : (
            <button class="primary" disabled={!isReady}>
              <Icon of={Play} /> {names.length > 1 ? `Run ${names.join(" and ")}` : "Run"}
            </button>
          )}
        <span class="quiet keys-hint">Ctrl+Enter</span>
      </p>
    </form>
  )
}

interface DatasetProps {
  readonly names: ReadonlyArray<string>
  readonly start: (dataset_id: string, values: Readonly<Record<string, string>>) => Promise<void>
}

export const DatasetForm = ({ names, start }: DatasetProps) => {
  const { problem, reload, value } = useLoaded((signal) => svc().datasets.list({ limit: 100 }, { signal }), [])
  if (value === undefined) return <Problem error={problem} retry={reload} />
  if (value.data.length === 0) {
    return (
      <p>
        There is no dataset yet. <a href={href(["datasets"], { new: "1" })}>Make one of real questions</a>
      </p>
    )
  }
  return (
    <ResourceForm
      title="Run a dataset"
      scope="evals:write"
      button={names.length > 1 ? `Run ${names.join(" and ")}, and compare` : "Run the dataset"}
      fields={[
        {
          name: "dataset_id",
          title: "Dataset",
          choices: value.data.map(({ id, item_count, name }) => [id, `${name} (${item_count} items)`] as const)
        },
        ...scorerFields
      ]}
      initial={{ scorers: "contains" }}
      submit={({ dataset_id = "", ...values }) => start(dataset_id, values)}
    />
  )
}
