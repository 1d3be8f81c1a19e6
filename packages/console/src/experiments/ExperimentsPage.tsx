// Experiments: the answers of components to datasets, with their scores.
import type { Dataset, Experiment, ExperimentInput, ExperimentItem } from "@svc-runtime/client"
import { isOver, Progress } from "../evaluations/Progress.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { duration, Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href, route } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { mayOpen } from "../service/Caller.ts"
import { type Choices, idsOf, useComponentChoices } from "../service/componentChoices.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { Base, Comparison } from "./Comparison.tsx"
import { percent, scoreOf, titleOf } from "./figures.ts"
import { Publish } from "./Publish.tsx"
import { scorerFields, scorersOf } from "./scorers.ts"
import { Trend } from "./Trend.tsx"

// Starts an experiment: a component answers the items of a dataset.

const fieldsOf = (datasets: Choices, components: Choices): ReadonlyArray<FieldOptions> => [
  { name: "dataset_id", title: "Dataset", choices: datasets, isRequired: true },
  { name: "component", title: "Component", choices: components, isRequired: true },
  { name: "name", title: "Name" },
  { name: "concurrency", title: "Items at a time", kind: "number", hint: "1 to 10; 1 if it is empty" },
  ...scorerFields
]

const bodyOf = (values: Values): ExperimentInput => {
  const { component = "", concurrency = "", dataset_id = "", name = "" } = values
  return ({
    dataset_id,
    ...idsOf(component),
    scorers: scorersOf(values),
    ...(name === "" ? {} : { name }),
    ...(concurrency === "" ? {} : { concurrency: Number(concurrency) })
  })
}

const ExperimentForm = ({ datasets }: { readonly datasets: ReadonlyArray<Dataset> }) => {
  const { dataset_id } = route.value.query
  const choices = datasets.map(({ id, item_count, name }) => [id, `${name} (${item_count} items)`] as const)
  return (
    <ResourceForm
      title="New experiment"
      scope="evals:write"
      button="Start"
      isFolded
      fields={fieldsOf(choices, useComponentChoices())}
      initial={{ scorers: "contains", ...(dataset_id === undefined ? {} : { dataset_id }) }}
      submit={(values) => svc().experiments.create(bodyOf(values)).then(({ id }) => go(href(["experiments", id])))}
    />
  )
}

const columnsWith = (names: ReadonlyMap<string, string>): ReadonlyArray<Column<Experiment>> => [
  { title: "Name", cell: (experiment) => <a href={href(["experiments", experiment.id])}>{titleOf(experiment)}</a> },
  { title: "Component", cell: componentOf },
  {
    title: "Dataset",
    cell: ({ dataset_id, dataset_version }) => (
      <a href={href(["datasets", dataset_id], { version: `${dataset_version}` })}>
        {names.get(dataset_id) ?? "dataset"}, version {dataset_version}
      </a>
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

export const ExperimentsPage = () => {
  const { value } = useLoaded(
    (signal) => svc().datasets.list({ limit: 100 }, { signal }).catch(() => undefined),
    []
  )
  const datasets = value?.data ?? []
  const names = new Map(datasets.map(({ id, name }) => [id, name]))
  // the address can have an older one
  const { dataset_id } = route.value.query
  const chosen = dataset_id === undefined ? [] : [dataset_id]
  return (
    <ResourceList
      title="Experiments"
      filters={[{
        name: "dataset_id",
        title: "Dataset",
        choices: [...new Set([...names.keys(), ...chosen])],
        titles: names
      }]}
      load={(paging, { dataset_id }, signal) => svc().experiments.list({ ...paging, dataset_id }, { signal })}
      every={3000}
      columns={columnsWith(names)}
      keyOf={({ id }) => id}
      actions={(experiment, reload) => <ExperimentActions experiment={experiment} changed={reload} deleted={reload} />}
      forms={() => <ExperimentForm datasets={datasets} />}
      empty={
        <>
          An experiment has a component answer all items of a <a href={href(["datasets"])}>dataset</a>. Start one above.
        </>
      }
    />
  )
}

// One experiment: its figures, and its items, alone or beside those of another experiment.

const itemColumns: ReadonlyArray<Column<ExperimentItem>> = [
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

const Figures = ({ experiment, isCompared }: { readonly experiment: Experiment; readonly isCompared: boolean }) => {
  const { dataset_id, dataset_version, error, scorers, summary } = experiment
  return (
    <div>
      {error === null ? null : <p class="problem">{error}</p>}
      <dl class="facts">
        <dt>Dataset</dt>
        <dd>
          <a href={href(["datasets", dataset_id], { version: `${dataset_version}` })}>version {dataset_version}</a>
        </dd>
        <dt>Scorers</dt>
        <dd>{scorers.map(({ name, type }) => name ?? type).join(", ")}</dd>
        {summary === null || isCompared ? null : (
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
    </div>
  )
}

export const ExperimentPage = () => {
  const { path: [, id = ""], query: { base } } = route.value
  const { problem, reload, value } = useLoaded((signal) => svc().experiments.get(id, {}, { signal }), [id], {
    every: (value) => value !== undefined && isOver(value.status) ? undefined : 2000
  })
  const dataset_id = value?.dataset_id
  const { problem: unread, reload: reread, value: others } = useLoaded(
    (signal) =>
      dataset_id === undefined
        ? Promise.resolve(undefined)
        : svc().experiments.list({ dataset_id, limit: 100 }, { signal }),
    [dataset_id, value?.status],
    {
      every: (value) => value?.data.some(({ id, status }) => id === base && !isOver(status)) === true ? 2000 : undefined
    }
  )
  const all = others?.data ?? []
  const compared = all.find((each) => each.id === base)
  return (
    <section class="page">
      <p>
        <a href={href(["experiments"])}>Experiments</a>
      </p>
      <Problem error={problem ?? unread} retry={problem === undefined ? reread : reload} />
      {value === undefined ? null : (
        <>
          <h1>{titleOf(value)}</h1>
          <p>
            {componentOf(value)}, started <Time value={value.created_at} />{" "}
            <Progress status={value.status} done={value.items_done} total={value.items_total} />
          </p>
          <div class="actions">
            <Publish of={value} />
            <InPlayground of={value} />
            <ExperimentActions experiment={value} changed={reload} deleted={() => go(href(["experiments"]))} />
          </div>
          <div class="figures-of">
            <Figures experiment={value} isCompared={base !== undefined} />
            {base === undefined ? <Trend all={all} of={[value]} /> : null}
            <Base all={all} of={value} />
          </div>
        </>
      )}
      {base === undefined
        ? (
          <ResourceList
            isPart
            title="Items"
            load={(paging, _, signal) => svc().experiments.items(id, paging, { signal })}
            every={3000}
            columns={itemColumns}
            keyOf={({ item_id }) => item_id}
            empty="No item has a result yet."
          />
        )
        : compared === undefined || value === undefined
        ? null
        : (
          <>
            <Comparison key={base} base={compared} other={value} />
            <Trend all={all} of={[compared, value]} />
          </>
        )}
    </section>
  )
}

/** Opens the version that the experiment was about. */
const InPlayground = ({ of: { agent_id, component_version, team_id } }: { readonly of: Experiment }) => {
  const [kind, id] = agent_id === null ? ["team", team_id] : ["agent", agent_id]
  return id === null || kind === undefined || !mayOpen("playground") ?
    null :
    (
      <a class="button" href={href(["playground", kind, id], { a: component_version ?? undefined, tab: "dataset" })}>
        Open in the playground
      </a>
    )
}
