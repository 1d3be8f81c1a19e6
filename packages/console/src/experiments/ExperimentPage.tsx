// One experiment: its figures, and its items, alone or beside those of another experiment.
import type { Experiment, ExperimentItem } from "@svc-runtime/client"
import { Progress } from "../evaluations/Progress.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { duration, Time } from "../parts/Time.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href, route } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { Base, Comparison } from "./Comparison.tsx"
import { ExperimentActions } from "./ExperimentsPage.tsx"
import { percent, scoreOf, titleOf } from "./figures.ts"

const columns: ReadonlyArray<Column<ExperimentItem>> = [
  {
    title: "Item",
    cell: ({ input, item_id, run_id }) =>
      run_id === null
        ? <span title={item_id}>{input ?? item_id}</span>
        : <a href={href(["runs", run_id])} title={item_id}>{input ?? item_id}</a>
  },
  { title: "State", cell: ({ status }) => <Status value={status} /> },
  { title: "Score", cell: ({ score }) => scoreOf(score) },
  { title: "Answer", isCut: true, cell: ({ error, output }) => error ?? output },
  {
    title: "Reasons",
    cell: ({ scores }) =>
      scores.map(({ passed, reason, scorer }) => (
        <div key={scorer}>
          {scorer}: {reason ?? (passed ? "passed" : "failed")}
        </div>
      ))
  },
  { title: "Took", cell: ({ duration: seconds }) => seconds === null ? null : duration(seconds * 1000) }
]

const Figures = ({ experiment: { dataset_id, dataset_version, error, scorers, summary } }: {
  readonly experiment: Experiment
}) => (
  <>
    {error === null ? null : <p class="problem">{error}</p>}
    <dl class="facts">
      <dt>Dataset</dt>
      <dd>
        <a href={href(["datasets", dataset_id], { version: `${dataset_version}` })}>version {dataset_version}</a>
      </dd>
      <dt>Scorers</dt>
      <dd>{scorers.map(({ name, type }) => name ?? type).join(", ")}</dd>
      {summary === null ? null : (
        <>
          <dt>Passed</dt>
          <dd>
            {percent(summary.pass_rate)}: {summary.passed} of {summary.passed + summary.failed + summary.errors},{" "}
            {summary.errors} without a result
          </dd>
          <dt>Score</dt>
          <dd>{scoreOf(summary.score)}</dd>
          <dt>Tokens</dt>
          <dd>{summary.tokens.toLocaleString()}</dd>
        </>
      )}
    </dl>
  </>
)

export const ExperimentPage = () => {
  const { path: [, id = ""], query: { base } } = route.value
  const { problem, reload, value } = useLoaded((signal) => svc().experiments.get(id, {}, { signal }), [id], {
    every: 3000
  })
  return (
    <section class="page">
      <p>
        <a href={href(["experiments"])}>Experiments</a>
      </p>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : (
        <>
          <h1>{titleOf(value)}</h1>
          <p>
            {componentOf(value)}, started <Time value={value.created_at} />{" "}
            <Progress status={value.status} done={value.items_done} total={value.items_total} />
          </p>
          <div class="actions">
            <ExperimentActions experiment={value} changed={reload} deleted={() => go(href(["experiments"]))} />
          </div>
          <Figures experiment={value} />
          <section class="part">
            <Base of={value} />
          </section>
        </>
      )}
      {base === undefined
        ? (
          <ResourceList
            isPart
            title="Items"
            load={(paging, _, signal) => svc().experiments.items(id, paging, { signal })}
            every={3000}
            columns={columns}
            keyOf={({ item_id }) => item_id}
            empty="No item has a result yet."
          />
        )
        : <Comparison key={base} base={base} other={id} />}
    </section>
  )
}
