// Stops a service: it responds to `/ready` with 503, ends the streams of runs that other nodes execute, lets requests
// finish for SHUTDOWN_TIMEOUT, tells waiting callers that their runs resume later, and closes.
import { CurrentProcess } from "@svc-runtime/domain/Worker"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { Context, Duration, Effect, Fiber, Latch, Layer, type Scope } from "effect"

/** What requests can read of it. */
interface StoppingState {
  readonly isDraining: () => boolean
  /** Returns when the service begins to stop: what waits for nothing closes then. */
  readonly begun: Effect.Effect<void>
}

export class Stopping
  extends Context.Service<Stopping, StoppingState>()("@svc-runtime/http/requests/Shutdown/Stopping")
{}

/** For routes without a service around them: nothing says that they stop. */
export const never: StoppingState = { isDraining: () => false, begun: Effect.never }

export interface Shutdown extends StoppingState {
  /** Returns when the time for requests is over. */
  readonly requestsMustEnd: Effect.Effect<void>
  /** Checks whether a database replies when its users begin to close, with the surrounding scope. */
  readonly observe: (isAble: Effect.Effect<boolean>) => Effect.Effect<void, never, Scope.Scope>
  /** Begins when the surrounding scope is closed. */
  readonly onClose: Layer.Layer<never>
  /** To be closed last. What is not closed in time is logged, and ends the process where it belongs to the service. */
  readonly deadline: Layer.Layer<never>
}

/** The time limit for sending the last responses. */
export const responseTimeout = Duration.seconds(2)

/** Besides the timeouts: storing the ends of runs, which may take as long as a statement, and closing connections. */
const closingTime = Duration.seconds(40)

/** The same where a database does not reply: nothing can be stored in it, but in the others. */
const silentClosingTime = Duration.seconds(5)

export interface Timeouts {
  /** For requests. */
  readonly shutdownTimeout: Duration.Input
  /** For runs. */
  readonly drainTimeout: Duration.Input
}

const end = (reason: string) =>
  Effect.flatMap(
    CurrentProcess,
    (process) => Effect.andThen(Effect.logError(`${reason}. The next start resumes its runs`), process.end)
  )

const overdue = (limit: Duration.Duration) =>
  Effect.delay(
    end(
      `The service did not stop within ${Duration.format(limit)} (SHUTDOWN_TIMEOUT, DRAIN_TIMEOUT and ${
        Duration.format(closingTime)
      }): its database may not reply`
    ),
    limit
  )

const endInSilence = (limit: Duration.Duration) =>
  end(
    `The service ends because a database does not reply: what uses it did not close within ${
      Duration.format(limit)
    } (DRAIN_TIMEOUT and ${Duration.format(silentClosingTime)})`
  )

/** How long a stop may take. */
export const limitOf = ({ drainTimeout, shutdownTimeout }: Timeouts): Duration.Duration =>
  [shutdownTimeout, responseTimeout, drainTimeout, closingTime].map(Duration.fromInputUnsafe).reduce(Duration.sum)

export const make = ({ drainTimeout, shutdownTimeout: timeout }: Timeouts): Shutdown => {
  const limit = limitOf({ drainTimeout, shutdownTimeout: timeout })
  const silentLimit = Duration.sum(Duration.fromInputUnsafe(drainTimeout), silentClosingTime)
  let hasSilent = false
  const isClosing = Latch.makeUnsafe(false)
  const closeInSilence = Effect.andThen(
    Effect.andThen(isClosing.await, Effect.sleep(silentLimit)),
    Effect.suspend(() => hasSilent ? endInSilence(silentLimit) : Effect.never)
  )
  let isDraining = false
  const begun = Latch.makeUnsafe(false)
  const begin = Effect.sync(() => {
    isDraining = true
    begun.openUnsafe()
  })
  return {
    isDraining: () => isDraining,
    begun: begun.await,
    requestsMustEnd: Effect.andThen(begun.await, Effect.sleep(timeout)),
    observe: (isAble) =>
      Effect.addFinalizer(() => {
        isClosing.openUnsafe()
        return Effect.forkDetach(Effect.map(isAble, (is) => void (hasSilent ||= !is)))
      }),
    onClose: Layer.effectDiscard(Effect.addFinalizer(() => begin)),
    deadline: Layer.effectDiscard(Effect.acquireRelease(
      Effect.forkDetach(Effect.andThen(begun.await, Effect.raceFirst(overdue(limit), closeInSilence))),
      Fiber.interrupt
    ))
  }
}

/** Fails the waits for runs that continue elsewhere: at once, or when the time for requests is over. */
export const handOver = ({ begun, observe, requestsMustEnd }: Shutdown) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const engine = yield* RunEngine
    yield* observe(engine.isAble)
    yield* Effect.forkScoped(Effect.andThen(begun, engine.endFollowing))
    yield* Effect.forkScoped(Effect.andThen(requestsMustEnd, engine.handOver))
  }))
