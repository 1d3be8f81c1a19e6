// A scorer that asks a judge: for criteria, or without them for how near an answer is to the expected one.
import { Schema } from "effect"
import * as TextBytes from "../TextBytes.ts"
import * as Judgement from "./Judgement.ts"
import * as Scorer from "./Scorer.ts"

export const fields = {
  type: Schema.Literal("judge"),
  ...Scorer.common,
  /** Without criteria the answer is compared with the expected output. */
  criteria: Schema.optionalKey(Schema.NonEmptyString),
  guidelines: Schema.optionalKey(Schema.NonEmptyString),
  /** How the judge rates criteria. Default: `binary`. */
  scoring_strategy: Schema.optionalKey(Schema.Literals(["binary", "numeric"]))
}

export const JudgeScorer = Schema.Struct(fields)
export type JudgeScorer = typeof JudgeScorer.Type

const Text = Schema.NonEmptyString.check(TextBytes.isMax(Judgement.maxBytes))

/** The error about other fields in a request. */
export const noOtherFields = "Extra inputs are not permitted. The judge is a model of the service (JUDGE_MODEL). " +
  "An agent can be the judge in `svc eval run`"

/** A judge in a request. */
export const Input = Schema.Struct({
  ...fields,
  criteria: Schema.optionalKey(Text),
  guidelines: Schema.optionalKey(Text)
}).annotate({ messageUnexpectedKey: noOtherFields })

const strategyOf = ({ criteria, scoring_strategy = "binary" }: JudgeScorer): Judgement.Strategy =>
  criteria === undefined ? "numeric" : scoring_strategy

const thresholdOf = ({ threshold }: JudgeScorer, strategy: Judgement.Strategy): number =>
  threshold ?? (strategy === "numeric" ? 0.7 : 1)

/** The scorer with its defaults written out. */
export const withDefaults = (judge: JudgeScorer): JudgeScorer => {
  const scoring_strategy = strategyOf(judge)
  return { ...judge, name: Scorer.nameOf(judge), threshold: thresholdOf(judge, scoring_strategy), scoring_strategy }
}

export const questionOf = (
  judge: JudgeScorer,
  expected: string
): Judgement.Question =>
  judge.criteria === undefined
    ? { _tag: "Accuracy", expected, context: null }
    : { _tag: "Criteria", criteria: judge.criteria, strategy: strategyOf(judge) }

/** The score of a verdict. A score from 1 to 10 is divided by ten, and 0.7 passes. */
export const scoreOf = (judge: JudgeScorer, { passed, reason, score }: Judgement.Verdict): Scorer.Score => {
  const isNumeric = passed === null
  const share = isNumeric ? (score === null ? null : score / 10) : Number(passed)
  return {
    scorer: Scorer.nameOf(judge),
    score: share,
    passed: share !== null && share >= thresholdOf(judge, isNumeric ? "numeric" : "binary"),
    reason: Scorer.cutReason(reason)
  }
}
