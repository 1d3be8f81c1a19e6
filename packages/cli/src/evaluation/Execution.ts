// Executes the items of an evaluation: each is a run in a session of its own, whose answer the scorers rate. What
// happens to one run is the result of its item; a service that refuses all of them ends the evaluation.
import type { Access, Failure } from "@svc/client/Calls"
import * as ComponentRuns from "@svc/client/ComponentRuns"
import * as RunOption from "@svc/domain/RunOption"
import * as Scorer from "@svc/domain/scoring/Scorer"
import { Clock, Duration, Effect, Random } from "effect"
import { hint } from "../admin/AdminCredential.ts"
import { CommandFailed } from "../CliError.ts"
import { Output } from "../terminal/Output.ts"
import type { Evaluation, Item } from "./EvaluationFile.ts"
import { reasonsOf, type Result, titleOf } from "./Report.ts"

interface Attempt {
  readonly item: Item
  readonly iteration: number
  readonly session_id: string
}

/** The service is busy or starts again. The key of the request keeps a repeated one from starting a second run. */
const isBusy = (failure: Failure): boolean =>
  failure._tag === "CallFailed" && (failure.status === 429 || failure.status === 503)

const retryAfterOf = (failure: Failure): Duration.Duration =>
  Duration.seconds(Math.max(failure._tag === "CallFailed" ? failure.retryAfter ?? 1 : 1, 0.1))

/** Failures of every item: nothing else can be found out. */
const refusalOf = (failure: Failure, { id, kind }: ComponentRuns.Component): CommandFailed | undefined => {
  if (failure._tag === "CredentialRejected") {
    return new CommandFailed({
      message: `The service rejected the credential (${failure.detail})`,
      hint: `It needs the scope ${kind}s:run. ${hint}`
    })
  }
  return failure._tag === "CallFailed" && failure.status === 404
    ? new CommandFailed({ message: `The service has no ${kind} '${id}' (${failure.detail})` })
    : undefined
}

const describe = (failure: Failure): string =>
  failure._tag === "CallFailed" ? `HTTP ${failure.status}: ${failure.detail}` : failure.message

const textOf = (content: ComponentRuns.Ended["content"]): string =>
  typeof content === "string" ? content : JSON.stringify(content)

/** Why the answer of a run is not rated. */
const problemOf = ({ content, status }: ComponentRuns.Ended): string | undefined => {
  if (status === "COMPLETED") return undefined
  return status === "PAUSED" ? "The run paused and was cancelled" : `The run ended as ${status}: ${textOf(content)}`
}

/** The run, or why there is none. */
const ended = (access: Access, evaluation: Evaluation, { item, session_id }: Attempt) => {
  const { component, timeout } = evaluation
  // the limit of one request ends later than that of all its attempts, which names the setting
  const limit = Duration.seconds(timeout + 1)
  const request = { message: item.message, session_id, idempotencyKey: session_id, options: RunOption.rated, limit }
  const attempt: ReturnType<typeof ComponentRuns.run> = Effect.suspend(() =>
    Effect.catchIf(
      ComponentRuns.run(access, component, request),
      isBusy,
      (failure) => Effect.delay(attempt, retryAfterOf(failure))
    )
  )
  return attempt.pipe(
    Effect.catch((failure) => {
      const refusal = refusalOf(failure, component)
      return refusal === undefined ? Effect.succeed(describe(failure)) : Effect.fail(refusal)
    }),
    Effect.timeoutOrElse({
      duration: Duration.seconds(timeout),
      orElse: () => Effect.succeed(`The run did not end within ${timeout} seconds`)
    })
  )
}

const execute = Effect.fnUntraced(function*(access: Access, evaluation: Evaluation, attempt: Attempt) {
  const { item: { message: _, name, scorers, ...expectation }, iteration, session_id } = attempt
  const start = yield* Clock.currentTimeMillis
  const run = yield* ended(access, evaluation, attempt)
  const seconds = ((yield* Clock.currentTimeMillis) - start) / 1000
  const named = { name, iteration, session_id, seconds }
  const failed = (run_id: string | null, error: string): Result => ({
    ...named,
    status: "error",
    run_id,
    output: null,
    error,
    scores: []
  })
  if (typeof run === "string") return failed(null, run)
  const { content: output, run_id, status, toolCalls } = run
  if (status === "PAUSED") {
    yield* Effect.ignore(ComponentRuns.cancel(access, evaluation.component, { run_id, session_id }))
  }
  const problem = problemOf(run)
  if (problem !== undefined) return failed(run_id, problem)
  const scores = scorers.map((scorer) => Scorer.score(scorer, { output, toolCalls }, expectation))
  const isPassed = scores.every(({ passed }) => passed)
  const result: Result = {
    ...named,
    status: isPassed ? "passed" : "failed",
    run_id,
    output,
    error: null,
    scores
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

/** The results in the order of the items. A terminal shows how many have ended, a log each one. */
export const run = Effect.fn("Execution.run")(function*(access: Access, evaluation: Evaluation) {
  const output = yield* Output
  const isMoving = yield* output.isMoving
  const parts = yield* Effect.all([Random.nextInt, Random.nextInt])
  const attempts = attemptsOf(evaluation, parts.map((part) => Math.abs(part).toString(36)).join(""))
  const title = `Evaluating ${evaluation.name}`
  return yield* output.progress(title, (say) => {
    let done = 0
    const report = (result: Result) => {
      done += 1
      if (isMoving) return say(`${title}  ${done} of ${attempts.length}`)
      const line = [`${result.status}  ${titleOf(result, evaluation)}`, ...reasonsOf(result)].join("  ")
      return output.line(`${done} of ${attempts.length}  ${line}`)
    }
    return Effect.forEach(
      attempts,
      (attempt) => Effect.tap(execute(access, evaluation, attempt), report),
      { concurrency: evaluation.concurrency }
    )
  })
})
