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
  /** Of criteria. Default: `binary`. */
  scoring_strategy: Schema.optionalKey(Schema.Literals(["binary", "numeric"]))
}

export const JudgeScorer = Schema.Struct(fields)
export type JudgeScorer = typeof JudgeScorer.Type

const Text = Schema.NonEmptyString.check(TextBytes.isMax(Judgement.maxBytes))

/** Of a request. */
export const noOtherFields = "Extra inputs are not permitted. The judge is a model of the service (JUDGE_MODEL). " +
  "An agent can be the judge in `svc eval run`"

/** Of a request. */
export const Input = Schema.Struct({
  ...fields,
  criteria: Schema.optionalKey(Text),
  guidelines: Schema.optionalKey(Text)
}).annotate({ messageUnexpectedKey: noOtherFields })

export const questionOf = (
  { criteria, scoring_strategy: strategy = "binary" }: JudgeScorer,
  expected: string
): Judgement.Question =>
  criteria === undefined
    ? { _tag: "Accuracy", expected, context: null }
    : { _tag: "Criteria", criteria, strategy }

/** Of a score from 1 to 10 a tenth counts, and 0.7 passes. */
export const scoreOf = (judge: JudgeScorer, { passed, reason, score }: Judgement.Verdict): Scorer.Score => {
  const isNumeric = passed === null
  const share = isNumeric ? (score === null ? null : score / 10) : Number(passed)
  return {
    scorer: Scorer.nameOf(judge),
    score: share,
    passed: share !== null && share >= (judge.threshold ?? (isNumeric ? 0.7 : 1)),
    reason: Scorer.cutReason(reason)
  }
}
