// Whether the database replies. Statements that wait for a database that does not are failed here: a broken connection
// can take half a minute to fail them. A separate statement checks whether the database replies, and only while another
// one waits for long, or when a caller asks.
//
// The background loops report their replies and failures here too. The loss of the database is logged once, when the
// first loop gets no reply, and its return once, when all loops get replies again. The return is a warning too, so that
// LOG_LEVEL=warn shows it. A database that replies can still refuse to store, because its disk is full for example:
// that is logged in the same way, when the first statement is refused and when the next run is stored.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { adviceOnConnections, StorageUnavailable, type Trouble } from "@svc-runtime/domain/StorageUnavailable"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Cause, Clock, Context, Effect, Exit, Fiber, Latch } from "effect"
import type { Loop, Probes } from "./BackgroundLoops.ts"

/** A statement that takes longer makes the node check whether the database replies. */
const checkAfterMillis = 1000

/** No statement fails before: until then the database may still execute what it was sent. */
export const minSilenceMillis = 2000

/** The time in which a database that replies executes a short statement. */
const probeTimeout = "2 seconds"

/** A statement whose caller got the error. */
export interface Detached {
  /** The run that it stores. */
  readonly run_id: string
  /** Called when the statement has ended, successfully or not, unless the node stops. */
  readonly onEnd: Effect.Effect<void>
}

export class DatabaseLiveness extends Context.Service<DatabaseLiveness, {
  /** Whether the database replies. Known within two seconds. */
  readonly isReplying: Effect.Effect<boolean>
  /** The same, and it has not refused a statement in the last seconds for a reason that an operator has to mend. */
  readonly isAble: Effect.Effect<boolean>
  /** Fails when the database is silent. Whether a write was stored is unknown then. */
  readonly orFail: <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>
  /**
   * The same for a statement that is not interrupted and continues in the background. It can ask whether its caller got
   * the error meanwhile.
   */
  readonly orDetach: <A, E>(
    statement: Effect.Effect<A, E> | ((isCallerRefused: () => boolean) => Effect.Effect<A, E>),
    detached: Detached
  ) => Effect.Effect<A, E | StorageUnavailable>
  /** The node stops: fails the callers of `orDetach` from now on. Their statements continue. */
  readonly detachAll: Effect.Effect<void>
  readonly loop: Loop
  /** What the background loops report. */
  readonly probes: Probes
  /** A background loop has no reply. This is logged already. */
  readonly isAway: () => boolean
}>()("@svc-runtime/engine/node/DatabaseLiveness") {}

const inDatabase = LogPart.inPart("database")

const refusal = "Runs wait until it is back, and new ones are refused"

const failureOf = (exit: Exit.Exit<unknown, unknown>): StorageUnavailable | undefined =>
  Exit.isSuccess(exit) ? undefined : unavailableIn(exit.cause)

const unavailableIn = (cause: Cause.Cause<unknown>): StorageUnavailable | undefined => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  return error instanceof StorageUnavailable ? error : undefined
}

/** How long a node accepts no runs after the database has refused a statement. The next refusal begins it again. */
const refusedMillis = 10_000

/** What an operator has to mend before the database stores again. */
const refusals = () => {
  let current: { readonly trouble: Trouble; readonly since: number } | undefined
  let last = 0
  return {
    /** Of a statement that has failed. */
    add: (failure: StorageUnavailable): Effect.Effect<void> =>
      Effect.flatMap(Monotonic.millis, (time) => {
        const { trouble } = failure
        if (trouble === undefined) return Effect.void
        last = time
        if (current?.trouble === trouble) return Effect.void
        current = { trouble, since: current?.since ?? time }
        const advice = trouble === "connections" ? `. ${adviceOnConnections}` : ""
        return inDatabase(Effect.logError(`${failure.message}. ${refusal}${advice}`, failure.cause))
      }),
    /** A run was stored. */
    end: Effect.suspend(() => {
      const ended = current
      current = undefined
      if (ended === undefined) return Effect.void
      return Effect.flatMap(
        Monotonic.millis,
        (time) =>
          inDatabase(Effect.logWarning(`The database stores again after ${Math.round((time - ended.since) / 1000)} s`))
      )
    }),
    isAny: () => current !== undefined,
    isRecent: Effect.map(Monotonic.millis, (time) => current !== undefined && time - last < refusedMillis)
  }
}

/** What the background loops have found. */
const reported = (refused: ReturnType<typeof refusals>) => {
  const silent = new Set<string>()
  let since = 0
  const probes: Probes = {
    failed: (loop, cause) =>
      Effect.flatMap(Monotonic.millis, (time) => {
        const isKnown = silent.size > 0
        silent.add(loop)
        if (isKnown) return Effect.void
        since = time
        const failure = unavailableIn(cause)
        return failure?.trouble === undefined
          ? inDatabase(Effect.logError(`The database does not reply. ${refusal}`, cause))
          : refused.add(failure)
      }),
    replied: (loop) =>
      Effect.suspend(() => {
        if (!silent.delete(loop) || silent.size > 0) return Effect.void
        if (refused.isAny()) return refused.end
        return Effect.flatMap(
          Monotonic.millis,
          (time) =>
            inDatabase(Effect.logWarning(`The database replies again after ${Math.round((time - since) / 1000)} s`))
        )
      })
  }
  return { probes, isAway: () => silent.size > 0 }
}

interface Waiting {
  readonly since: number
  readonly fail: (error: StorageUnavailable) => void
  /** Fails it because the node stops. */
  readonly stop?: (() => void) | undefined
}

interface Replies {
  /** How many statements have succeeded: while this rises, the database replies, however long its queue is. */
  count: number
}

/** `isReplying`: whether the database replies to a short statement in time. */
export const make = (
  isReplying: Effect.Effect<boolean>,
  replies: Replies = { count: 0 }
): DatabaseLiveness["Service"] => {
  /** The oldest first. */
  const waiting = new Set<Waiting>()
  const isWaiting = Latch.makeUnsafe(false)
  let isStopping = false
  const refused = refusals()

  /** `isWrite`: its success shows that the database stores. */
  const note = (context: Context.Context<never>, exit: Exit.Exit<unknown, unknown>, isWrite: boolean): void => {
    const failure = failureOf(exit)
    if (failure?.trouble !== undefined) Effect.runForkWith(context)(refused.add(failure))
    else if (isWrite && failure === undefined && refused.isAny()) Effect.runForkWith(context)(refused.end)
  }

  const enter = (caller: Fiber.Fiber<unknown, unknown>, fail: Waiting["fail"], stop?: Waiting["stop"]) => {
    const entered = { since: Monotonic.millisOf(caller.getRef(Clock.Clock)), fail, stop }
    waiting.add(entered)
    isWaiting.openUnsafe()
    return entered
  }

  const leave = (entered: Waiting, exit?: Exit.Exit<unknown, unknown>) => {
    if (exit?._tag === "Success") replies.count++
    waiting.delete(entered)
    if (waiting.size === 0) isWaiting.closeUnsafe()
  }

  const check = Effect.gen(function*() {
    const [oldest] = waiting
    if (oldest === undefined || (yield* Monotonic.millis) - oldest.since < checkAfterMillis) return
    if (yield* isReplying) return
    const time = yield* Monotonic.millis
    for (const { fail, since } of waiting) {
      if (time - since < minSilenceMillis) break
      fail(new StorageUnavailable({ cause: "A statement was sent to the database, which does not reply" }))
    }
  })

  return {
    ...reported(refused),
    isReplying,
    isAble: Effect.flatMap(refused.isRecent, (isRefused) => isRefused ? Effect.succeed(false) : isReplying),
    orFail: (statement) =>
      Effect.withFiber((caller) =>
        Effect.callback((resume) => {
          const fiber = Effect.runForkWith(caller.context)(statement)
          const entered = enter(caller, (error) => {
            resume(Effect.fail(error))
            fiber.interruptUnsafe()
          })
          fiber.addObserver((exit) => {
            leave(entered, exit)
            note(caller.context, exit, false)
            resume(exit)
          })
          return Effect.sync(() => {
            leave(entered)
            fiber.interruptUnsafe()
          })
        })
      ),
    detachAll: Effect.sync(() => {
      isStopping = true
      for (const { stop } of waiting) stop?.()
    }),
    orDetach: (statement, { onEnd, run_id }) =>
      Effect.withFiber((caller) =>
        Effect.callback((resume) => {
          let [isDetached, isStopped] = [false, false]
          const run = Effect.runForkWith(caller.context)
          const given = typeof statement === "function" ? statement(() => isDetached) : statement
          const fiber = run(given, { uninterruptible: true })
          const fail = (error: StorageUnavailable) => {
            isDetached = true
            leave(entered)
            resume(Effect.fail(error))
          }
          const entered = enter(caller, fail, () => {
            isStopped = true
            fail(new StorageUnavailable({ cause: "The service stops", uncertainRun: run_id }))
          })
          fiber.addObserver((exit) => {
            leave(entered, exit)
            note(caller.context, exit, true)
            if (!isDetached) resume(exit)
            else if (!isStopped) run(onEnd, { uninterruptible: true })
          })
          if (isStopping && waiting.has(entered)) entered.stop?.()
        })
      ),
    loop: { when: Effect.andThen(isWaiting.await, Effect.sleep("1 second")), task: check, every: 0 }
  }
}

/** Does not wait for the interruption of a statement: in a frozen database a driver takes seconds to give it up. */
export const unawaited = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(restore(statement), { startImmediately: true }),
      (fiber) => Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )

/** Asks the database by a short statement. The node may execute runs while `isTrusted`. */
export const probing = Effect.fnUntraced(function*(
  statement: Effect.Effect<unknown, StorageUnavailable>,
  isTrusted: () => boolean
) {
  const replies: Replies = { count: 0 }
  const probe = unawaited(statement).pipe(Effect.timeout(probeTimeout), Effect.exit)
  // callers without a credential can request it as well: at most one statement a second
  const isReplying = yield* Effect.suspend(() => {
    const before = replies.count
    // in a long queue of statements others get a reply before this one
    return Effect.map(probe, (exit) => Exit.isSuccess(exit) || replies.count > before)
  }).pipe(Effect.cachedWithTTL("1 second"))
  return make(Effect.suspend(() => isTrusted() ? isReplying : Effect.succeed(false)), replies)
})
