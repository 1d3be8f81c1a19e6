// A scorer, with a model or without one.
import { Schema } from "effect"
import * as JudgeScorer from "./JudgeScorer.ts"
import * as Scorer from "./Scorer.ts"

export const AnyScorer = Schema.Union([...Scorer.Scorer.members, JudgeScorer.JudgeScorer])
export type AnyScorer = typeof AnyScorer.Type

/** A scorer in a request. */
export const Input = Schema.Union([...Scorer.Scorer.members, JudgeScorer.Input])

/** The scorer with its defaults written out. */
export const withDefaults = (scorer: AnyScorer): AnyScorer =>
  scorer.type === "judge" ? JudgeScorer.withDefaults(scorer) : Scorer.withDefaults(scorer)

/** The field that a scorer needs and the expectation lacks. */
export const missing = (
  scorer: AnyScorer,
  expectation: Scorer.Expectation
): keyof Scorer.Expectation | undefined => {
  if (scorer.type !== "judge") return Scorer.missing(scorer, expectation)
  return scorer.criteria === undefined && expectation.expected_output === undefined ? "expected_output" : undefined
}

/** A name that two of them have. */
export const duplicateName = (scorers: ReadonlyArray<AnyScorer>): string | undefined => {
  const names = scorers.map(Scorer.nameOf)
  return names.find((name, index) => names.indexOf(name) !== index)
}
