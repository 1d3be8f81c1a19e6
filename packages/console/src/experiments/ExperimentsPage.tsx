// Experiments: the answers of components to datasets, with their scores.
import type { Experiment } from "@svc-runtime/client"
import { isOver, Progress } from "../evaluations/Progress.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { href } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { svc } from "../service/Service.ts"
import { ExperimentForm } from "./ExperimentForm.tsx"
import { percent, scoreOf, titleOf } from "./figures.ts"

const columns: ReadonlyArray<Column<Experiment>> = [
  { title: "Name", cell: (experiment) => <a href={href(["experiments", experiment.id])}>{titleOf(experiment)}</a> },
  { title: "Component", cell: componentOf },
  {
    title: "Dataset",
    cell: ({ dataset_id, dataset_version }) => (
      <a href={href(["datasets", dataset_id], { version: `${dataset_version}` })}>version {dataset_version}</a>
    )
  },
  {
    title: "State",
    cell: ({ items_done, items_total, status }) => <Progress status={status} done={items_done} total={items_total} />
  },
  { title: "Passed", cell: ({ summary }) => summary === null ? null : percent(summary.pass_rate) },
  { title: "Score", cell: ({ summary }) => summary === null ? null : scoreOf(summary.score) },
  { title: "Started", cell: ({ created_at }) => <Time value={created_at} /> }
]

interface Props {
  readonly experiment: Experiment
  readonly changed: () => void
  readonly deleted: () => void
}

export const ExperimentActions = ({ changed, deleted, experiment }: Props) => {
  const { id, status } = experiment
  const title = titleOf(experiment)
  return (
    <>
      {isOver(status)
        ? null
        : (
          <Action scope="evals:write" label={`Cancel ${title}`} run={() => svc().experiments.cancel(id)} done={changed}>
            Cancel
          </Action>
        )}
      <Action
        scope="evals:delete"
        label={`Delete ${title}`}
        question="Delete this experiment with its results?"
        run={() => svc().experiments.delete(id)}
        done={deleted}
      >
        Delete
      </Action>
    </>
  )
}

export const ExperimentsPage = () => (
  <ResourceList
    title="Experiments"
    filters={[{ name: "dataset_id", title: "Dataset" }]}
    load={(paging, { dataset_id }, signal) => svc().experiments.list({ ...paging, dataset_id }, { signal })}
    every={3000}
    columns={columns}
    keyOf={({ id }) => id}
    actions={(experiment, reload) => <ExperimentActions experiment={experiment} changed={reload} deleted={reload} />}
    forms={() => <ExperimentForm />}
    empty={
      <>
        An experiment has a component answer all items of a <a href={href(["datasets"])}>dataset</a>. Start one above.
      </>
    }
  />
)
