// The items of two experiments side by side, what differs first. `SqlExperimentStore` has the same as a statement.
import type * as Dataset from "@svc-runtime/features/evaluation/Dataset"
import * as Experiment from "@svc-runtime/features/evaluation/Experiment"

/** What a comparison needs of an item. */
export type Compared = Pick<Experiment.Item, "input" | "item_id" | "score" | "scores" | "status">

const sideOf = (item: Compared | undefined) => item === undefined ? null : { status: item.status, score: item.score }

type Kind = keyof Experiment.ComparisonCounts

const kindOf = ({ base, change, is_item_changed, is_regression, is_unjudged, other }: Experiment.Difference): Kind => {
  if (other === null) return "only_base"
  if (base === null) return "only_other"
  if (is_item_changed) return "changed_items"
  if (is_unjudged) return "unjudged"
  if (is_regression) return "regressions"
  const isImproved = (change ?? 0) > 0 || (base.status !== "passed" && other.status === "passed")
  return isImproved ? "improvements" : "unchanged"
}

/** The largest loss first, then the largest gain. */
const rank = (difference: Experiment.Difference): number => {
  const kind = kindOf(difference)
  const change = difference.change ?? 0
  return kind === "regressions" ? -10 + change : kind === "improvements" ? -5 - change : 0
}

/** `changed`: the items that differ between the versions of the dataset. */
export const of = (
  base: ReadonlyArray<Compared>,
  other: ReadonlyArray<Compared>,
  changed: ReadonlySet<Dataset.ItemId> = new Set()
) => {
  const byId = (items: ReadonlyArray<Compared>) => new Map(items.map((item) => [item.item_id, item]))
  const [before, after] = [byId(base), byId(other)]
  const ids: ReadonlySet<Dataset.ItemId> = new Set([...before.keys(), ...after.keys()])
  const differences = [...ids].map((item_id) => {
    const [base, other] = [before.get(item_id), after.get(item_id)]
    const input = base?.input ?? other?.input ?? null
    const is_item_changed = changed.has(item_id)
    const is_unjudged = [base, other].some((item) => item !== undefined && Experiment.isUnjudged(item))
    return Experiment.difference({
      item_id,
      input,
      base: sideOf(base),
      other: sideOf(other),
      is_item_changed,
      is_unjudged
    })
  })
  const kinds = differences.map(kindOf)
  const count = (kind: Kind) => kinds.filter((each) => each === kind).length
  return {
    counts: {
      regressions: count("regressions"),
      improvements: count("improvements"),
      unchanged: count("unchanged"),
      changed_items: count("changed_items"),
      unjudged: count("unjudged"),
      only_base: count("only_base"),
      only_other: count("only_other")
    },
    // sorting is stable: equal ones are in the order of the dataset
    differences: differences.toSorted((left, right) => rank(left) - rank(right))
  }
}
