// The summary of an experiment: its pass rate, and statistics of the results of its items. `SqlExperimentStore` has the
// same as a statement.
import type * as Experiment from "../Experiment.ts"
import * as Statistics from "../Statistics.ts"

const numbers = (values: ReadonlyArray<number | null>): ReadonlyArray<number> =>
  values.filter((value) => value !== null)

export const mean = (values: ReadonlyArray<number | null>): number | null => Statistics.of(numbers(values)).avg

/** Null where none is known. */
const sumOf = (values: ReadonlyArray<number | null>): number | null => {
  const known = numbers(values)
  return known.length === 0 ? null : Statistics.sum(known)
}

/** Null where one is not known: the others would look like all of them. */
const wholeSumOf = (values: ReadonlyArray<number | null>): number | null => values.includes(null) ? null : sumOf(values)

export const of = (items: ReadonlyArray<Experiment.Figures>): Experiment.Summary => {
  const count = (status: Experiment.ItemStatus) => items.filter((item) => item.status === status).length
  const { median, p95 } = Statistics.of(numbers(items.map(({ duration }) => duration)))
  const scores = Map.groupBy(items.flatMap(({ scores }) => scores), ({ scorer }) => scorer)
  const passed = count("passed")
  return {
    passed,
    failed: count("failed"),
    errors: count("error"),
    pass_rate: items.length === 0 ? 0 : passed / items.length,
    score: mean(items.map(({ score }) => score)),
    scores: Object.fromEntries(
      [...scores].map(([scorer, found]) => [scorer, mean(found.map(({ score }) => score))])
    ),
    duration_p50: median,
    duration_p95: p95,
    tokens: Statistics.sum(items.map(({ tokens }) => tokens)),
    cost: sumOf(items.map(({ cost }) => cost)),
    unpriced_tokens: wholeSumOf(items.map(({ unpriced_tokens }) => unpriced_tokens)),
    judge_tokens: Statistics.sum(items.map(({ judge_tokens }) => judge_tokens)),
    judge_cost: sumOf(items.map(({ judge_cost }) => judge_cost))
  }
}
