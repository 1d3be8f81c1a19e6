// Executes the items of an evaluation: each is a run in a session of its own, whose answer the scorers rate.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import { Effect, Random } from "effect"
import type { Access } from "../calls/Calls.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"
import type { Evaluation, Item, ItemScorer } from "./EvaluationFile.ts"
import { reasonsOf, type Result, titleOf } from "./EvaluationReport.ts"
import * as Judge from "./Judge.ts"
import { Outage } from "./Outage.ts"
import * as RatedRun from "./RatedRun.ts"
import * as ShownText from "./ShownText.ts"

interface Attempt {
  readonly item: Item
  readonly iteration: number
  readonly session_id: string
}

/** The state of the execution. Its lists have the order of the items. */
export type Results = Array<Result | undefined>

/** `judge_id`: the session of a judge. It is also a key, which cannot have all characters of names. */
const rate = (
  access: Access,
  scorer: ItemScorer,
  answer: Scorer.Answer,
  { item, judge_id, timeout }: { readonly item: Item; readonly judge_id: string; readonly timeout: number }
): ReturnType<typeof Judge.score> => {
  if (scorer.type !== "judge") return Effect.sync(() => Scorer.score(scorer, answer, item))
  const { expected_output, message: input } = item
  const judged = { input, output: answer.output, expected_output }
  return Judge.score(access, scorer, judged, { session_id: judge_id, timeout })
}

const shownScore = (score: Scorer.Score, access: Access, length: number): Scorer.Score => ({
  ...score,
  reason: score.reason === null ? null : ShownText.of(score.reason, access, length)
})

const execute = Effect.fnUntraced(function*(
  access: Access,
  { component, textLength, timeout }: Evaluation,
  attempt: Attempt
) {
  const { item, iteration, session_id } = attempt
  const { message, name, scorers } = item
  const start = yield* Monotonic.millis
  const request = { component, message, session_id, timeout, options: RunOption.rated }
  const { problem, run } = yield* RatedRun.execute(access, request)
  const named = {
    name,
    iteration,
    session_id,
    run_id: run?.run_id ?? null,
    seconds: ((yield* Monotonic.millis) - start) / 1000
  }
  if (run === undefined || problem !== undefined) {
    const error = ShownText.of(problem ?? "", access, textLength)
    return { ...named, status: "error", output: null, error, scores: [] } satisfies Result
  }
  const { content: output, toolCalls } = run
  const scores = yield* Effect.forEach(
    scorers,
    (scorer, index) => {
      const judge_id = `${session_id}_scorer_${index + 1}`
      return rate(access, scorer, { output, toolCalls }, { item, judge_id, timeout })
    }
  )
  const result: Result = {
    ...named,
    status: scores.every(({ passed }) => passed) ? "passed" : "failed",
    output: ShownText.ofValue(output, access, textLength),
    error: null,
    scores: scores.map((score) => shownScore(score, access, textLength))
  }
  return result
})

const attemptsOf = ({ items, iterations }: Evaluation, id: string): ReadonlyArray<Attempt> =>
  items.flatMap((item, index) =>
    Array.from({ length: iterations }, (_, at) => ({
      item,
      iteration: at + 1,
      session_id: `eval_${id}_${index * iterations + at + 1}`
    }))
  )

/** A terminal shows how many have ended, a log each one. */
export const run = Effect.fn("EvaluationExecution.run")(
  function*(access: Access, evaluation: Evaluation, results: Results) {
    const output = yield* Output
    const isMoving = yield* output.isMoving
    const parts = yield* Effect.all([Random.nextInt, Random.nextInt])
    const attempts = attemptsOf(evaluation, parts.map((part) => Math.abs(part).toString(36)).join(""))
    const title = `Evaluating ${evaluation.name}`
    return yield* output.progress(title, (say) => {
      const ended = { passed: 0, failed: 0, error: 0 }
      let done = 0
      let isAway = false
      const showProgress = Effect.suspend(() => {
        const others = [`${ended.failed} failed`, `${ended.error} errors`].filter((text) => !text.startsWith("0 "))
        const waiting = isAway ? ["waiting for the service"] : []
        return say([`${title}  ${done} of ${attempts.length}`, ...others, ...waiting].join(", "))
      })
      const report = (result: Result, index: number) => {
        results[index] = result
        ended[result.status] += 1
        done += 1
        if (isMoving) return showProgress
        const line = [`${result.status}  ${titleOf(result, evaluation)}`, ...reasonsOf(result)].join("  ")
        return output.line(onOneLine(`${done} of ${attempts.length}  ${line}`))
      }
      const reportOutage = (reason: string | undefined) => {
        isAway = reason !== undefined
        if (isMoving) return showProgress
        return output.note(
          isAway ? `The service does not respond (${reason}). Its runs wait for it.` : "The service responds again."
        )
      }
      const outage = Outage.make({ access, timeout: evaluation.timeout, report: reportOutage })
      return Effect.forEach(
        attempts,
        (attempt, index) => Effect.flatMap(execute(access, evaluation, attempt), (result) => report(result, index)),
        { concurrency: evaluation.concurrency, discard: true }
      ).pipe(Effect.provideService(Outage, outage))
    })
  }
)
