// The lifetime of a factory's resources: from the request until the run ends. The request owns it until the run does,
// so a refused request leaves nothing open. Finalizers of the author can fail or hang; this is only logged.
import { Cause, Duration, Effect, Exit, Fiber, Scope } from "effect"
import * as UserCode from "../userCode/UserCode.ts"

export interface Lifetime {
  /** The scope of the factory's Effects. */
  readonly scope: Scope.Scope
  readonly signal: AbortSignal
  readonly onClose: (close: () => UserCode.Returned<unknown>) => void
  /** Transfers the ownership. */
  readonly handOver: () => void
  readonly end: Effect.Effect<void>
}

/** The maximum wait for finalizers. */
const closeTimeout = Duration.seconds(10)

const failed = (cause: Cause.Cause<unknown>) => Effect.logError("What a factory had opened could not be closed", cause)

/** Finalizers of the author cannot be interrupted, so they run in a detached fiber. */
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

/** Ends with the surrounding scope, unless it is handed over. */
export const acquire: Effect.Effect<Lifetime, never, Scope.Scope> = Effect.gen(function*() {
  const scope = Scope.makeUnsafe()
  let controller: AbortController | undefined
  const closers: Array<() => UserCode.Returned<unknown>> = []
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  let isHandedOver = false
  let hasEnded = false

  // Created on demand: most factories open nothing.
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
      // A factory that timed out may still open resources.
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
