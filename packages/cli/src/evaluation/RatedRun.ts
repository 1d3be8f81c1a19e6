// A run of an evaluation, of the evaluated component or of a judge. What happens to it is a result; a service that
// refuses every run ends the evaluation.
import { Duration, Effect } from "effect"
import type { HttpClient } from "effect/http"
import { hint } from "../admin/AdminCredential.ts"
import type { Access, Failure } from "../calls/Calls.ts"
import * as ComponentRuns from "../calls/ComponentRuns.ts"
import { CommandFailed } from "../CliError.ts"
import { Outage } from "./Outage.ts"

export interface Request {
  readonly component: ComponentRuns.Component
  readonly message: string
  readonly session_id: string
  /** Seconds. */
  readonly timeout: number
  readonly options: Readonly<Record<string, string | boolean>>
}

export interface Outcome {
  readonly run: ComponentRuns.Ended | undefined
  /** Why there is no answer. */
  readonly problem: string | undefined
}

const describe = (failure: Failure): string =>
  failure._tag === "CallFailed" ? `HTTP ${failure.status}: ${failure.detail}` : failure.message

/** The service is busy, or starts or stops. The key of the request keeps a repeated one from starting a second run. */
const isBusy = (failure: Failure): boolean =>
  failure._tag === "CallFailed" && (failure.status === 429 || failure.status === 503)

const retryAfterOf = (failure: Failure): Duration.Duration =>
  Duration.seconds(Math.max(failure._tag === "CallFailed" ? failure.retryAfter ?? 1 : 1, 0.1))

/** Why there is no response of the service. A proxy responds with 502 for a service that is away. */
const lostReasonOf = (failure: Failure): string | undefined => {
  if (failure._tag === "Unreachable") return failure.isRequestInvalid ? undefined : failure.reason
  return failure._tag === "CallFailed" && failure.status === 502 ? describe(failure) : undefined
}

/** Failures that every run would have. */
const refusalOf = (failure: Failure, { id, kind }: ComponentRuns.Component): CommandFailed | undefined => {
  if (failure._tag === "CredentialRejected") {
    return new CommandFailed({
      message: `The service rejected the credential (${failure.detail})`,
      hint: `${hint} The token of a service account with the scopes ${kind}s:run and evals:write is enough.`
    })
  }
  return failure._tag === "CallFailed" && failure.status === 404
    ? new CommandFailed({ message: `The service has no ${kind} '${id}' (${failure.detail})` })
    : undefined
}

export const textOf = (content: ComponentRuns.Ended["content"]): string =>
  typeof content === "string" ? content : JSON.stringify(content)

const problemOf = ({ content, status }: ComponentRuns.Ended, lost: string | undefined): string | undefined => {
  if (status === "COMPLETED") return undefined
  if (status === "PAUSED") return "The run paused and was cancelled"
  return status === "CANCELLED" && lost !== undefined
    ? `The connection to the service was lost (${lost}), which cancelled the run`
    : `The run ended as ${status}: ${textOf(content)}`
}

/** The outcome of the requests of one run. */
interface Course {
  /** Why the last one was refused; undefined if the service executes it. */
  readonly busy: Failure | undefined
  /** Why the connection of one was lost. */
  readonly lost: string | undefined
}

/** The error of a run that has not ended in time. */
const lateOf = (timeout: number, { busy, lost }: Course): string => {
  if (busy !== undefined) {
    // only this status says that no run was started
    const isRefused = busy._tag === "CallFailed" && busy.status === 429
    const what = `The run did not ${isRefused ? "start" : "end"} within ${timeout} seconds`
    return `${what}, because the service was busy (${describe(busy)})`
  }
  const late = `The run did not end within ${timeout} seconds`
  return lost === undefined ? late : `${late}. The connection to the service was lost (${lost})`
}

export const execute = Effect.fnUntraced(function*(access: Access, request: Request) {
  const { component, message, options, session_id, timeout } = request
  const outage = yield* Outage
  let course: Course = { busy: undefined, lost: undefined }
  // the limit of one request ends later than that of all its attempts, which names the setting
  const limit = Duration.seconds(timeout + 1)
  const sent = { message, session_id, idempotencyKey: session_id, options, limit }
  const recover = (failure: Failure): typeof attempt => {
    const lost = lostReasonOf(failure)
    if (lost !== undefined) {
      course = { busy: undefined, lost }
      return Effect.andThen(outage.begin(lost), Effect.delay(attempt, "1 second"))
    }
    if (isBusy(failure)) {
      course = { ...course, busy: failure }
      return Effect.delay(attempt, retryAfterOf(failure))
    }
    const refusal = refusalOf(failure, component)
    return refusal === undefined ? Effect.succeed(describe(failure)) : Effect.fail(refusal)
  }
  /** The run, or why there is none. */
  const attempt: Effect.Effect<ComponentRuns.Ended | string, CommandFailed, HttpClient.HttpClient> = Effect.suspend(
    () => {
      course = { ...course, busy: undefined }
      const run = Effect.catch(ComponentRuns.run(access, component, sent), recover)
      return Effect.andThen(outage.end, run)
    }
  )
  const run = yield* Effect.timeoutOrElse(attempt, {
    duration: Duration.seconds(timeout),
    orElse: () => Effect.map(outage.problem, (problem) => problem ?? lateOf(timeout, course))
  })
  if (typeof run === "string") return { run: undefined, problem: run } satisfies Outcome
  if (run.status === "PAUSED") {
    yield* Effect.ignore(ComponentRuns.cancel(access, component, { run_id: run.run_id, session_id }))
  }
  const outcome: Outcome = { run, problem: problemOf(run, course.lost) }
  return outcome
})
