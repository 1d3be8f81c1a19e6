// A run of an evaluation, of the evaluated component or of a judge. What happens to it is a result; a service that
// refuses every run ends the evaluation.
import type { Access, Failure } from "@svc/client/Calls"
import * as ComponentRuns from "@svc/client/ComponentRuns"
import { Duration, Effect } from "effect"
import { hint } from "../admin/AdminCredential.ts"
import { CommandFailed } from "../CliError.ts"

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

/** The service is busy or starts again. The key of the request keeps a repeated one from starting a second run. */
const isBusy = (failure: Failure): boolean =>
  failure._tag === "CallFailed" && (failure.status === 429 || failure.status === 503)

const retryAfterOf = (failure: Failure): Duration.Duration =>
  Duration.seconds(Math.max(failure._tag === "CallFailed" ? failure.retryAfter ?? 1 : 1, 0.1))

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

const describe = (failure: Failure): string =>
  failure._tag === "CallFailed" ? `HTTP ${failure.status}: ${failure.detail}` : failure.message

export const textOf = (content: ComponentRuns.Ended["content"]): string =>
  typeof content === "string" ? content : JSON.stringify(content)

const problemOf = ({ content, status }: ComponentRuns.Ended): string | undefined => {
  if (status === "COMPLETED") return undefined
  return status === "PAUSED" ? "The run paused and was cancelled" : `The run ended as ${status}: ${textOf(content)}`
}

/** The run, or why there is none. */
const ended = (access: Access, { component, message, options, session_id, timeout }: Request) => {
  // the limit of one request ends later than that of all its attempts, which names the setting
  const limit = Duration.seconds(timeout + 1)
  const request = { message, session_id, idempotencyKey: session_id, options, limit }
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

export const execute = Effect.fnUntraced(function*(access: Access, request: Request) {
  const run = yield* ended(access, request)
  if (typeof run === "string") return { run: undefined, problem: run } satisfies Outcome
  const { component, session_id } = request
  if (run.status === "PAUSED") {
    yield* Effect.ignore(ComponentRuns.cancel(access, component, { run_id: run.run_id, session_id }))
  }
  const outcome: Outcome = { run, problem: problemOf(run) }
  return outcome
})
