// One attempt of a job on this node, from its acquisition to the stored end.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Cause, Duration, Effect, Exit, Fiber, Option, Predicate } from "effect"
import { bytesOf } from "../limits/ByteLimits.ts"
import type { Payer, Purse, Spending, SpendingRefused } from "../limits/Spending.ts"
import * as CurrentWork from "../node/CurrentWork.ts"
import * as ExecutionLease from "../node/ExecutionLease.ts"
import type { NodeHeartbeat } from "../node/NodeHeartbeat.ts"
import { retryUntilAvailable } from "../node/retryUntilAvailable.ts"
import type * as Job from "./Job.ts"
import { AttemptFailed, isLast, type JobContext, type JobKind } from "./JobKind.ts"
import type { JobStore } from "./JobStore.ts"
import * as PayloadVersion from "./PayloadVersion.ts"

export interface JobExecution {
  /** Its `attempts` are 0 after the attempt has progressed. */
  job: Job.Acquired
  readonly kind: JobKind<never>
  /** Not stored yet. */
  progress: Json.Value | undefined
  /** The seconds after which its handler wants to be called again. */
  postponed: number | undefined
  /** A request to a model that it could not pay in this attempt. */
  unpaid: SpendingRefused | undefined
  /** Why its handler is interrupted. Left out when the node stops. */
  reason: "cancelled" | "lost" | undefined
  isEnding: boolean
  /** The attempt has ended and its handler has not: nothing that the handler does counts any more. */
  isAbandoned: boolean
  fiber: Fiber.Fiber<void> | undefined
}

const maxProgress = 4096

export interface Options {
  readonly store: JobStore["Service"]
  readonly node: NodeHeartbeat
  /** Undefined: nothing limits what requests to models cost. */
  readonly spending?: Spending["Service"] | undefined
  /** Of the heartbeat that was valid when the job was acquired. */
  readonly acquiredIn: number
  /** How long the finalizers of an interrupted handler may take. */
  readonly interruptionTimeout: Duration.Duration
  /** Gets the fiber of a handler that is abandoned. */
  readonly onAbandoned: (handler: Fiber.Fiber<unknown, unknown>) => Effect.Effect<void>
}

/** The message of a defect is not stored or shown, because it can contain secrets. */
const unexpected = new AttemptFailed({
  message: "The handler failed unexpectedly. The log has the cause",
  isFinal: false
})

export const make = (job: Job.Acquired, kind: JobKind<never>): JobExecution => ({
  job,
  kind,
  progress: undefined,
  postponed: undefined,
  unpaid: undefined,
  reason: undefined,
  isEnding: false,
  isAbandoned: false,
  fiber: undefined
})

/** Ends the attempt: nothing is stored of one whose lease is lost. */
export const interrupt = (execution: JobExecution, reason: "cancelled" | "lost"): void => {
  execution.reason ??= reason
  execution.fiber?.interruptUnsafe()
}

/** Seconds. The amount of a budget can be raised before it begins anew. */
const longestUnpaid = 3600

const endOf = (
  { job, kind, postponed, reason, unpaid }: JobExecution,
  exit: Exit.Exit<void, AttemptFailed>,
  isClosing: boolean
): Job.End => {
  if (Exit.isSuccess(exit)) {
    if (kind.every !== undefined) return { _tag: "Repeat", seconds: postponed ?? Duration.toSeconds(kind.every) }
    if (postponed === undefined) return { _tag: "Completed" }
    return { _tag: kind.isOnePerKey ? "Repeat" : "Postponed", seconds: postponed }
  }
  if (Cause.hasInterruptsOnly(exit.cause)) {
    if (reason === "cancelled") return { _tag: "Cancelled" }
    if (isClosing) return { _tag: "Released" }
  }
  const { cause, isFinal, message: error, retryAfter = 0 } = Option.getOrElse(
    Cause.findErrorOption(exit.cause),
    () => unexpected
  )
  // another database of the node can be closed before
  if (isClosing && isStorageUnavailable(cause)) return { _tag: "Released" }
  // it can pay later, and it is not its fault
  if (unpaid?.retry_after !== undefined) {
    return { _tag: "Postponed", seconds: Math.min(longestUnpaid, unpaid.retry_after), error: unpaid.message }
  }
  // a repeating kind has no last attempt, because no other job would replace this one
  return kind.every === undefined && (isFinal || isLast({ job }))
    ? { _tag: "Failed", error }
    : { _tag: "Retry", error, seconds: Math.max(retryAfter, kind.backoff(job.attempts)) }
}

/** Seconds. A newer node may start at any time. */
const maxWait = 60

/** Undefined: this node can read the payload. */
const waitForNewer = ({ job, kind }: JobExecution) => {
  const version = PayloadVersion.of(job.payload)
  if (version <= kind.version) return undefined
  const error =
    `The payload has version ${version}, and the node that acquired the job reads version ${kind.version}. ` +
    "The job waits for a newer node"
  return { _tag: "Postponed", seconds: Math.min(maxWait, kind.backoff(job.lease)), error } as const
}

const logFailure = (end: Job.End, exit: Exit.Exit<void, AttemptFailed>) => {
  if (Exit.isFailure(exit) && end._tag === "Postponed") {
    return Effect.logWarning(`A job waits for ${end.seconds} s`, end.error ?? "")
  }
  if (Exit.isSuccess(exit) || (end._tag !== "Retry" && end._tag !== "Failed")) return Effect.void
  return end._tag === "Retry"
    ? Effect.logWarning(`An attempt of a job failed. It is repeated in ${end.seconds} s`, exit.cause)
    : Effect.logError("A job failed and is not repeated", exit.cause)
}

const contextOf = (execution: JobExecution, { acquiredIn, node, store }: Options): JobContext => {
  const { id, lease: number } = execution.job
  const lease = ExecutionLease.make({
    node,
    acquiredIn,
    ask: Effect.map(store.sync([{ id, lease: number, progress: undefined }]), ({ length }) => length > 0),
    giveUp: Effect.suspend(() => {
      execution.reason ??= "lost"
      return Effect.interrupt
    })
  })
  return {
    get job() {
      return execution.job
    },
    guard: (effect) => lease.act("idempotent", Effect.suspend(() => execution.isAbandoned ? Effect.interrupt : effect)),
    report: (progress) =>
      Effect.suspend(() => {
        if (execution.isAbandoned) return Effect.void
        const bytes = bytesOf(JSON.stringify(progress))
        if (bytes > maxProgress) {
          return Effect.logWarning(`The progress of a job has ${bytes} bytes, more than ${maxProgress}`)
        }
        execution.progress = progress
        return Effect.void
      }),
    progressed: Effect.suspend(() =>
      execution.isAbandoned || execution.job.attempts === 0
        ? Effect.void
        : Effect.map(store.progressed({ id, lease: number }), () => {
          execution.job = { ...execution.job, attempts: 0 }
        })
    ),
    postpone: (seconds) =>
      Effect.sync(() => {
        execution.postponed = seconds
      })
  }
}

/** A handler that does not end when it is interrupted is abandoned, so that it does not occupy a slot of its kind. */
const attempt = Effect.fnUntraced(function*(execution: JobExecution, options: Options) {
  const { job, kind } = execution
  const { interruptionTimeout } = options
  const seconds = Duration.toSeconds(kind.timeout)
  let isLate = false
  const timedOut = Effect.suspend(() => {
    isLate = true
    return Effect.fail(new AttemptFailed({ message: `The attempt took longer than ${seconds} s`, isFinal: false }))
  })
  const executing = Effect.suspend(() => kind.execute(job.payload, contextOf(execution, options)))
  // repeating kinds are the service's own, and would be most traces
  const handling = kind.every === undefined ? OperationSpan.job(executing, job) : executing
  const handler = yield* Effect.forkDetach(Effect.interruptible(ModelRequests.lateWhen(handling, () => isLate)))
  const exit = yield* Fiber.join(handler).pipe(
    Effect.timeoutOrElse({ duration: kind.timeout, orElse: () => timedOut }),
    Effect.interruptible,
    Effect.exit
  )
  handler.interruptUnsafe()
  if (Option.isNone(yield* Effect.timeoutOption(Fiber.await(handler), interruptionTimeout))) {
    execution.isAbandoned = true
    yield* Effect.logError(
      `The handler of a job was interrupted and did not end within ${
        Duration.format(interruptionTimeout)
      }. Its attempt ends without it, ` +
        "and what it guards or reports from now on is refused"
    )
    yield* options.onAbandoned(handler)
  }
  return exit
})

/** The payloads of jobs about a component name it. */
const payerOf = ({ id, lease, payload, user_id }: Job.Acquired): Payer => {
  const named = ComponentKind.ComponentKind.literals.flatMap((kind) => {
    const name = Predicate.isObject(payload) ? (payload as Json.Object)[`${kind}_id`] : undefined
    return typeof name === "string" ? [{ kind, id: name }] : []
  })
  return { id, isJob: true, attempt: lease, user_id, component: named[0] }
}

const purseOf = (execution: JobExecution, spending: Spending["Service"]): Purse => {
  const purse = spending.purseOf(payerOf(execution.job))
  return {
    ...purse,
    reserve: (expected) =>
      Effect.tapError(purse.reserve(expected), (refused) =>
        Effect.sync(() => {
          execution.unpaid = refused
        }))
  }
}

/** Does not fail. A job whose end cannot be stored is executed again, when this node finds it under its own lease. */
export const execute = Effect.fnUntraced(
  function*(execution: JobExecution, options: Options, isClosing: () => boolean) {
    const { job } = execution
    const { node, store } = options
    const isLost = () => execution.reason === "lost" || node.hasExpired()
    const newer = waitForNewer(execution)
    const exit = newer === undefined ? yield* Effect.uninterruptible(attempt(execution, options)) : Exit.void
    execution.isEnding = true
    const end = newer ?? endOf(execution, exit, isClosing())
    // once for a job: it can be acquired many times before a newer node starts
    if (newer !== undefined && job.lease === 1) yield* Effect.logWarning(newer.error)
    yield* isLost() ? Effect.void : logFailure(end, exit)
    const instruments = yield* Instruments
    instruments.jobEnded(job.kind, isLost() ? "lost" : end._tag.toLowerCase())
    const progress = execution.progress
    if (progress !== undefined) {
      yield* Effect.ignore(store.sync([{ id: job.id, lease: job.lease, progress }]))
    }
    const isStored = isLost() ? false : yield* retryUntilAvailable(store.finish(job, end), () => !isLost())
    if (!isStored) yield* Effect.logInfo("A job is no longer held by this node. The result of its attempt is dropped")
  },
  (effect, execution, { spending }, isClosing) => {
    const { job } = execution
    const purse = spending && purseOf(execution, spending)
    return effect.pipe(
      Effect.catchCause((cause) => Effect.logError("The end of an attempt of a job could not be stored", cause)),
      Effect.andThen(purse?.ended ?? Effect.void),
      CurrentWork.within({ isClosing, purse }),
      Effect.annotateLogs({ part: "jobs", job_id: job.id, kind: job.kind, attempt: job.attempts })
    )
  }
)
