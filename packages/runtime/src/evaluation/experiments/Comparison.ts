// The items of two experiments side by side, regressions first. `SqlExperimentStore` has the same as a statement.
import type * as Dataset from "@svc/domain/Dataset"
import * as Experiment from "@svc/domain/Experiment"

/** What a comparison needs of an item. */
export type Compared = Pick<Experiment.Item, "input" | "item_id" | "score" | "status">

const sideOf = (item: Compared | undefined) => item === undefined ? null : { status: item.status, score: item.score }

/** The largest loss first. */
const rank = ({ change, is_regression }: Experiment.Difference): number => (is_regression ? -10 : 0) + (change ?? 0)

const isImproved = ({ base, change, is_item_changed, is_regression, other }: Experiment.Difference): boolean =>
  !is_regression && !is_item_changed && base !== null && other !== null &&
  ((change ?? 0) > 0 || (base.status !== "passed" && other.status === "passed"))

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
    return Experiment.difference({ item_id, input, base: sideOf(base), other: sideOf(other), is_item_changed })
  })
  const regressions = differences.filter(({ is_regression }) => is_regression).length
  const improvements = differences.filter(isImproved).length
  const changed_items =
    differences.filter(({ base, is_item_changed, other }) => is_item_changed && base !== null && other !== null).length
  const only_base = differences.filter(({ other }) => other === null).length
  const only_other = differences.filter(({ base }) => base === null).length
  return {
    counts: {
      regressions,
      improvements,
      unchanged: differences.length - regressions - improvements - changed_items - only_base - only_other,
      changed_items,
      only_base,
      only_other
    },
    // sorting is stable: equal ones are in the order of the dataset
    differences: differences.toSorted((left, right) => rank(left) - rank(right))
  }
}
