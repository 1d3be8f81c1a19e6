// Evaluations: how good the answers of agents and teams are.
import type { EvalRun } from "@svc-runtime/client"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { href } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { svc } from "../service/Service.ts"
import { EvaluationForm, typeOf, types } from "./EvaluationForm.tsx"
import { isOver, Progress } from "./Progress.tsx"
import { resultOf } from "./results.ts"

const states = ["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]

const columns: ReadonlyArray<Column<EvalRun>> = [
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
    columns={columns}
    keyOf={({ id }) => id}
    actions={(evaluation, reload) => <EvaluationActions evaluation={evaluation} changed={reload} deleted={reload} />}
    forms={() => <EvaluationForm />}
    empty="An evaluation has an agent or a team answer an input, and measures the answer. Start one above."
  />
)
