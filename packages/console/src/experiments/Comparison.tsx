// Two experiments of a dataset side by side: which items got better or worse.
import type { Experiment, ExperimentComparison, ExperimentDifference } from "@svc-runtime/client"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { query, route } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { scoreOf, titleOf } from "./figures.ts"

/** Chooses the experiment to compare with. */
export const Base = ({ of: { dataset_id, id } }: { readonly of: Experiment }) => {
  const { problem, value } = useLoaded(
    (signal) => svc().experiments.list({ dataset_id, limit: 100 }, { signal }),
    [dataset_id, id]
  )
  const others = value?.data.filter((each) => each.id !== id) ?? []
  return (
    <>
      <Problem error={problem} />
      <label>
        Compared with
        <select
          value={route.value.query.base ?? ""}
          onChange={({ currentTarget: { value } }) => query({ base: value, page: undefined })}
        >
          <option value="">nothing</option>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {`${titleOf(other)}, ${new Date(other.created_at).toLocaleString()}, version ${other.dataset_version}`}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

const Side = ({ side }: { readonly side: ExperimentDifference["base"] }) =>
  side === null ? <span class="quiet">no result</span> : (
    <>
      <Status value={side.status} /> {scoreOf(side.score)}
    </>
  )

const changeOf = (
  { base, change, is_regression, is_unjudged, other }: ExperimentDifference
): string | undefined => {
  if (base === null || other === null || is_unjudged) return undefined
  if (is_regression) return "worse"
  const isBetter = (change !== null && change > 0) || (base.status !== "passed" && other.status === "passed")
  return isBetter ? "better" : undefined
}

const columns: ReadonlyArray<Column<ExperimentDifference>> = [
  { title: "Item", cell: ({ input, item_id }) => <span title={item_id}>{input ?? item_id}</span> },
  { title: "Before", cell: ({ base }) => <Side side={base} /> },
  { title: "Now", cell: ({ other }) => <Side side={other} /> },
  {
    title: "Change",
    cell: (difference) =>
      difference.is_item_changed ? <span class="quiet">the item was changed</span> : (
        <>
          <Status value={changeOf(difference)} /> {difference.change === null || difference.change === 0
            ? null
            : `${difference.change > 0 ? "+" : ""}${scoreOf(difference.change)}`}
        </>
      )
  }
]

interface Props {
  readonly base: string
  readonly other: string
}

/** What makes two experiments hard to compare. */
const warningOf = ({ base_status, has_different_scorers, other_status }: ExperimentComparison): string =>
  [
    ...(has_different_scorers ? ["Their scorers differ."] : []),
    ...(base_status === "COMPLETED" ? [] : [`The one before is ${base_status.toLowerCase()}.`]),
    ...(other_status === "COMPLETED" ? [] : [`This one is ${other_status.toLowerCase()}.`])
  ].join(" ")

const Counts = ({ base, other }: Props) => {
  const { problem, value } = useLoaded(
    (signal) => svc().experiments.compare({ ids: `${base},${other}`, limit: 1 }, { signal }),
    [base, other]
  )
  return (
    <>
      <Problem error={problem} />
      {value === undefined ? null : (
        <p>
          {value.regressions} worse, {value.improvements} better, {value.unchanged} unchanged
          {value.changed_items === 0 ? null : `, ${value.changed_items} changed in the dataset`}
          {value.unjudged === 0 ? null : `, ${value.unjudged} without a verdict of the judge`}
          {value.only_base + value.only_other === 0
            ? null
            : `, ${value.only_base + value.only_other} in one of them only`}. <strong>{warningOf(value)}</strong>
        </p>
      )}
    </>
  )
}

export const Comparison = ({ base, other }: Props) => (
  <ResourceList
    isPart
    title="Comparison"
    load={(paging, _, signal) => svc().experiments.compare({ ...paging, ids: `${base},${other}` }, { signal })}
    columns={columns}
    keyOf={({ item_id }) => item_id}
    forms={() => <Counts base={base} other={other} />}
    empty="The experiments have no results."
  />
)
