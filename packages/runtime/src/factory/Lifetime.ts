// How long that is kept which a factory opens for its component: from the request until the run has ended. The request
// owns it until a run does, so that a request that is refused leaves nothing open. What an author wrote for the end may
// fail or hang; neither reaches anybody but the log.
import { Cause, Duration, Effect, Exit, Fiber, Scope } from "effect"
import * as UserCode from "../usercode/UserCode.ts"

export interface Lifetime {
  /** Of the factory's own, for Effects. */
  readonly scope: Scope.Scope
  readonly signal: AbortSignal
  readonly onClose: (close: () => UserCode.Returned<unknown>) => void
  /** From now on somebody else ends it. */
  readonly handOver: () => void
  readonly end: Effect.Effect<void>
}

/** Beyond it nobody waits: a run or a request has to end, whatever a factory has left behind. */
const closeTimeout = Duration.seconds(10)

const failed = (cause: Cause.Cause<unknown>) => Effect.logError("What a factory had opened could not be closed", cause)

/** An author's finalizers cannot be interrupted, so they run in a fiber that may be left to itself. */
const bounded = Effect.fnUntraced(function*(closing: Effect.Effect<void>) {
  const fiber = yield* Effect.forkDetach(Effect.catchCause(closing, failed), { startImmediately: true })
  if (fiber.pollUnsafe() !== undefined) return
  const ended = yield* Effect.timeoutOption(Fiber.await(fiber), closeTimeout)
  if (ended._tag === "Some") return
  yield* Effect.logError(
    `What a factory had opened is not closed after ${Duration.format(closeTimeout)}, and is not waited for any longer`
  )
})

const close = (f: () => UserCode.Returned<unknown>) =>
  Effect.catch(UserCode.call(f), ({ cause }) => failed(Cause.die(cause)))

/** Ends with the surrounding scope, unless it was handed over. */
export const acquire: Effect.Effect<Lifetime, never, Scope.Scope> = Effect.gen(function*() {
  const scope = Scope.makeUnsafe()
  let controller: AbortController | undefined
  const closers: Array<() => UserCode.Returned<unknown>> = []
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  let isHandedOver = false
  let hasEnded = false

  // Made for those who look: most factories open nothing.
  const signal = () => {
    controller ??= new AbortController()
    if (hasEnded) controller.abort()
    return controller.signal
  }

  const end = Effect.suspend(() => {
    hasEnded = true
    controller?.abort()
    const finalizers = Scope.closeUnsafe(scope, Exit.void)
    const last = closers.splice(0).reverse()
    if (finalizers === undefined && last.length === 0) return Effect.void
    return bounded(Effect.andThen(Effect.forEach(last, close, { discard: true }), finalizers ?? Effect.void))
  })

  const lifetime: Lifetime = {
    scope,
    get signal() {
      return signal()
    },
    onClose: (f) => {
      // A factory that was too slow may still be opening things.
      if (hasEnded) runFork(close(f))
      else closers.push(f)
    },
    handOver: () => {
      isHandedOver = true
    },
    end
  }
  yield* Effect.addFinalizer(() => isHandedOver ? Effect.void : end)
  return lifetime
})
