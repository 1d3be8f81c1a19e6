// Evaluations: how good the answers of agents and teams are.
import type { EvalRun, JsonObject } from "@svc-runtime/client"
import { Folded } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { duration, Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { go, href, route } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { EvaluationForm, typeOf, types } from "./EvaluationForm.tsx"
import { isOver, Progress } from "./Progress.tsx"

// What an evaluation found. The form of the data depends on its type.

type Value = JsonObject[string] | undefined

const isObject = (value: Value): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const figure = (value: Value): string | undefined =>
  typeof value === "number" ? value.toLocaleString(undefined, { maximumFractionDigits: 2 }) : undefined

const textOf = (value: Value): string | undefined =>
  value === null || value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value)

/** Each rated answer. Only evaluations with a judge have them. */
const ratingsOf = ({ eval_data: { results } }: EvalRun): ReadonlyArray<JsonObject> =>
  Array.isArray(results) ? results.filter(isObject) : []

const seconds = (value: Value): string | undefined => typeof value === "number" ? duration(value * 1000) : undefined

/** In a few words. Undefined: there is no result. */
const resultOf = ({ eval_data: data, eval_type, status }: EvalRun): string | undefined => {
  if (status !== "COMPLETED") return undefined
  switch (eval_type) {
    case "accuracy":
      return typeof data.avg_score === "number" ? `${figure(data.avg_score)} of 10` : "no score"
    case "agent_as_judge":
      return data.pass_rate === 100 ? "passed" : "failed"
    case "reliability":
      return textOf(data.eval_status)?.toLowerCase()
    case "performance":
      return `${seconds(isObject(data.result) ? data.result.avg_run_time : undefined) ?? "not known"} on average`
  }
}

const states = ["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]

const evaluationColumns: ReadonlyArray<Column<EvalRun>> = [
  { title: "Name", cell: ({ eval_type, id, name }) => <a href={href(["evaluations", id])}>{name ?? eval_type}</a> },
  { title: "Type", cell: ({ eval_type }) => eval_type },
  { title: "Component", cell: ({ evaluated_component_name, ...ids }) => evaluated_component_name ?? componentOf(ids) },
  {
    title: "State",
    cell: ({ runs_done, runs_total, status }) => <Progress status={status} done={runs_done} total={runs_total} />
  },
  { title: "Result", cell: resultOf },
  { title: "Started", cell: ({ created_at }) => <Time value={created_at} /> }
]

interface Props {
  readonly evaluation: EvalRun
  readonly changed: () => void
  readonly deleted: () => void
}

export const EvaluationActions = ({ changed, deleted, evaluation: { eval_type, id, name, status } }: Props) => (
  <>
    {isOver(status)
      ? null
      : (
        <Action
          scope="evals:write"
          label={`Cancel ${name ?? eval_type}`}
          run={() => svc().evaluations.cancel(id)}
          done={changed}
        >
          Cancel
        </Action>
      )}
    <Action
      scope="evals:delete"
      label={`Delete ${name ?? eval_type}`}
      question="Delete this evaluation?"
      run={() => svc().evaluations.deleteMany({ eval_run_ids: [id] })}
      done={deleted}
    >
      Delete
    </Action>
  </>
)

export const EvaluationsPage = () => (
  <ResourceList
    title="Evaluations"
    filters={[
      { name: "status", title: "State", choices: states },
      { name: "type", title: "Type", choices: Object.keys(types) },
      { name: "agent_id", title: "Agent" },
      { name: "team_id", title: "Team" }
    ]}
    load={(paging, { agent_id, status = states.join(","), team_id, type }, signal) =>
      svc().evaluations.list({ ...paging, status, agent_id, team_id, eval_types: typeOf(type) }, { signal })}
    every={3000}
    columns={evaluationColumns}
    keyOf={({ id }) => id}
    actions={(evaluation, reload) => <EvaluationActions evaluation={evaluation} changed={reload} deleted={reload} />}
    forms={() => <EvaluationForm />}
    empty="An evaluation has an agent or a team answer an input, and measures the answer. Start one above."
  />
)

// One evaluation: how far it is, and what it found.

type Numbered = JsonObject & { readonly number: number }

const ratingColumns: ReadonlyArray<Column<Numbered>> = [
  { title: "Run", cell: ({ number }) => number },
  { title: "Score", cell: ({ score }) => figure(score) ?? <span class="quiet">none</span> },
  {
    title: "Passed",
    cell: ({ passed }) => typeof passed === "boolean" ? <Status value={passed ? "passed" : "failed"} /> : null
  },
  { title: "Answer", cell: ({ output }) => textOf(output) },
  { title: "Reason", cell: ({ reason }) => textOf(reason) }
]

const Found = ({ evaluation }: { readonly evaluation: EvalRun }) => {
  const { error, eval_data, eval_input, runs_done, runs_total, status } = evaluation
  const ratings = ratingsOf(evaluation).map((rating, index): Numbered => ({ ...rating, number: index + 1 }))
  return (
    <>
      <p>
        <Progress status={status} done={runs_done} total={runs_total} /> <strong>{resultOf(evaluation)}</strong>
      </p>
      {error === null ? null : <p class="problem">{error}</p>}
      {ratings.length === 0
        ? null
        : <Table columns={ratingColumns} entries={ratings} keyOf={({ number }) => String(number)} />}
      <Folded title="All of the result" value={Object.keys(eval_data).length === 0 ? null : eval_data} />
      <Folded title="Settings" value={eval_input} />
    </>
  )
}

export const EvaluationPage = () => {
  const { path: [, id = ""] } = route.value
  const { problem, reload, value } = useLoaded((signal) => svc().evaluations.get(id, {}, { signal }), [id], {
    every: 3000
  })
  return (
    <section class="page">
      <p>
        <a href={href(["evaluations"])}>Evaluations</a>
      </p>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : (
        <>
          <h1>{value.name ?? value.eval_type}</h1>
          <p>
            {value.eval_type} of {value.evaluated_component_name ?? componentOf(value)}, started{" "}
            <Time value={value.created_at} />
          </p>
          <div class="actions">
            <EvaluationActions evaluation={value} changed={reload} deleted={() => go(href(["evaluations"]))} />
          </div>
          <Found evaluation={value} />
        </>
      )}
    </section>
  )
}
