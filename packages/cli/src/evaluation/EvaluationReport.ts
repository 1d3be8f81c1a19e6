// The report of an evaluation: a result for each run, the mean of each scorer, and whether the thresholds are reached.
import * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import type { Schema } from "effect"
import type { Evaluation } from "./EvaluationFile.ts"

export interface Result {
  readonly name: string
  readonly iteration: number
  /** `error`: there is no answer to rate. */
  readonly status: "passed" | "failed" | "error"
  readonly run_id: string | null
  readonly session_id: string
  readonly seconds: number
  readonly output: Schema.Json
  readonly error: string | null
  readonly scores: ReadonlyArray<Scorer.Score>
}

export interface Threshold {
  readonly name: string
  readonly minimum: number
  readonly actual: number
  readonly passed: boolean
}

export interface Report {
  readonly passed: boolean
  readonly pass_rate: number
  readonly scorers: ReadonlyArray<{ readonly name: string; readonly mean: number; readonly pass_rate: number }>
  readonly thresholds: ReadonlyArray<Threshold>
  readonly results: ReadonlyArray<Result>
  /** Runs that were not executed, because the evaluation was interrupted. Then no threshold is reached. */
  readonly runs_missing: number
}

/** Rounds away errors of floating point sums, which would miss a threshold. */
const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length * 1e6) / 1e6

/** An answer without a score counts as 0, so that failing runs raise no mean. */
const scorersOf = ({ items }: Evaluation, results: ReadonlyArray<Result>): Report["scorers"] => {
  const itemsOf = new Map<string, Set<string>>()
  for (const item of items) {
    for (const scorer of item.scorers) {
      const name = Scorer.nameOf(scorer)
      itemsOf.set(name, (itemsOf.get(name) ?? new Set()).add(item.name))
    }
  }
  return Array.from(itemsOf, ([name, scored]) => {
    const scores = results.filter((result) => scored.has(result.name)).map(({ scores }) =>
      scores.find(({ scorer }) => scorer === name)
    )
    return {
      name,
      mean: mean(scores.map((score) => score?.score ?? 0)),
      pass_rate: mean(scores.map((score) => score?.passed === true ? 1 : 0))
    }
  })
}

/** `known`: by the order of the items, with holes. */
export const make = (evaluation: Evaluation, known: ReadonlyArray<Result | undefined>): Report => {
  const { passRate, scores } = evaluation.thresholds
  const results = known.filter((result) => result !== undefined)
  const runs_missing = evaluation.items.length * evaluation.iterations - results.length
  const scorers = scorersOf(evaluation, results)
  const pass_rate = mean(results.map(({ status }) => status === "passed" ? 1 : 0))
  const threshold = (name: string, minimum: number, actual: number): Threshold => ({
    name,
    minimum,
    actual,
    passed: actual >= minimum
  })
  const thresholds = [
    threshold("pass_rate", passRate, pass_rate),
    ...Object.entries(scores).map(([name, minimum]) =>
      threshold(`scores.${name}`, minimum, scorers.find((scorer) => scorer.name === name)?.mean ?? 0)
    )
  ]
  const found = { pass_rate, scorers, results, runs_missing }
  if (runs_missing > 0) return { ...found, passed: false, thresholds: [] }
  return { ...found, passed: thresholds.every(({ passed }) => passed), thresholds }
}

/** Why a result did not pass; empty if it did. */
export const reasonsOf = ({ error, scores }: Result): ReadonlyArray<string> =>
  error === null
    ? scores.filter(({ passed }) => !passed).map(({ reason, score, scorer }) =>
      `${scorer} ${score === null ? "has no score" : score.toFixed(2)}${reason === null ? "" : `: ${reason}`}`
    )
    : [error]

/** The name of a result among those of several iterations. */
export const titleOf = ({ iteration, name }: Result, { iterations }: Evaluation): string =>
  iterations === 1 ? name : `${name} (${iteration} of ${iterations})`
