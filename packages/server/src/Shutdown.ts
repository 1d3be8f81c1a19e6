// How a service stops: it answers `/ready` with 503, lets requests finish for SHUTDOWN_TIMEOUT, tells those that still wait
// for a run where it goes on, and closes then.
import { RunEngine } from "@svc/runtime"
import { Context, Duration, Effect, Latch, Layer } from "effect"

export interface Shutdown {
  readonly isDraining: () => boolean
  /** Returns when requests have had their time. */
  readonly requestsMustEnd: Effect.Effect<void>
  /** Begins when the surrounding scope is closed. */
  readonly onClose: Layer.Layer<never>
}

/** What a request finds out about it. A service that somebody makes of the routes alone never drains. */
export const IsDraining = Context.Reference<() => boolean>("@svc/server/Shutdown/IsDraining", {
  defaultValue: () => () => false
})

/** How long the last answers may take to leave. */
export const answerTime = Duration.seconds(2)

export const make = (timeout: Duration.Input): Shutdown => {
  let isDraining = false
  const begun = Latch.makeUnsafe(false)
  const begin = Effect.sync(() => {
    isDraining = true
    begun.openUnsafe()
  })
  return {
    isDraining: () => isDraining,
    requestsMustEnd: Effect.andThen(begun.await, Effect.sleep(timeout)),
    onClose: Layer.effectDiscard(Effect.addFinalizer(() => begin))
  }
}

/** Fails the waits for runs that continue elsewhere. */
export const handOver = ({ requestsMustEnd }: Shutdown) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const engine = yield* RunEngine
    yield* Effect.forkScoped(Effect.andThen(requestsMustEnd, engine.handOver))
  }))
