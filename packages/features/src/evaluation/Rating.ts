// Rates the answer of a run with scorers, some of which ask a judge. What judges use is counted.
import * as Run from "@svc-runtime/domain/Run"
import * as AnyScorer from "@svc-runtime/domain/scoring/AnyScorer"
import * as Judgement from "@svc-runtime/domain/scoring/Judgement"
import * as JudgeScorer from "@svc-runtime/domain/scoring/JudgeScorer"
import * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import * as Usage from "@svc-runtime/domain/Usage"
import type { Model } from "@svc-runtime/models/Model"
import * as EvaluationSpan from "@svc-runtime/telemetry/EvaluationSpan"
import { Effect } from "effect"
import * as EvaluatedRun from "./EvaluatedRun.ts"
import * as Judge from "./Judge.ts"
import * as RunToolCalls from "./RunToolCalls.ts"

export interface Rated extends EvaluationSpan.Subject {
  readonly scorers: ReadonlyArray<AnyScorer.AnyScorer>
  readonly input: string
  readonly expectation: Scorer.Expectation
  readonly judge: Model
  /** For one answer of a judge. */
  readonly seconds: number
  readonly source: Judge.Request["source"]
}

export interface Rating {
  readonly scores: ReadonlyArray<Scorer.Score>
  /** Why a judge gave no verdict. */
  readonly unjudged: string | undefined
  /** Of judges. */
  readonly usage: Usage.Counters
}

export const rate = Effect.fnUntraced(
  function*(
    { expectation, input, judge: model, run, scorers, seconds, source }: Rated
  ) {
    let usage: Usage.Counters = {}
    let unjudged: string | undefined
    const onUsage = (used: Usage.Counters) => (usage = Usage.add(usage, used))
    const answer: Scorer.Answer = { output: run.content ?? "", toolCalls: RunToolCalls.of(run) }
    const output = EvaluatedRun.textOf(run)
    const scores = yield* Effect.forEach(scorers, (scorer) => {
      const absent = AnyScorer.missing(scorer, expectation)
      if (absent !== undefined) {
        const reason = `The item has no ${absent}`
        return Effect.succeed<Scorer.Score>({ scorer: Scorer.nameOf(scorer), score: null, passed: false, reason })
      }
      if (scorer.type !== "judge") return Effect.succeed(Scorer.score(scorer, answer, expectation))
      const question = JudgeScorer.questionOf(scorer, Run.textOf(expectation.expected_output ?? ""))
      const { run_id, session_id } = run
      return Judge.ask({
        model,
        question,
        guidelines: scorer.guidelines ?? null,
        input,
        output,
        seconds,
        source,
        onUsage
      }).pipe(
        Effect.annotateLogs({ run_id, session_id, scorer: Scorer.nameOf(scorer) }),
        Effect.map((verdict) => {
          if (Judgement.isMissing(verdict)) unjudged ??= verdict.reason
          return JudgeScorer.scoreOf(scorer, verdict)
        })
      )
    })
    const rating: Rating = { scores, unjudged, usage }
    return rating
  },
  (rating, rated) =>
    EvaluationSpan.around(rating, rated, ({ scores }) =>
      scores.map(({ passed, reason, score, scorer }) => ({
        name: scorer,
        score,
        passed: score === null ? null : passed,
        explanation: reason
      })))
)
