// What all streams of server-sent events have in common: no proxy buffers their content, or takes a stream without
// events for a dead connection.
import { Effect, Fiber, Scope, Stream } from "effect"

const encoder = new TextEncoder()

/** A comment, which readers ignore. */
export const heartbeat = encoder.encode(": heartbeat\n\n")

const interval = "15 seconds"

type Chunk = readonly [Uint8Array, ...Array<Uint8Array>]

/**
 * Adds a heartbeat every fifteen seconds. A heartbeat does not end a pull that waits: the next pull waits for the same
 * chunk. A merge of two streams would cost several times as much for each chunk.
 */
export const alive = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.transformPull(bytes, (pull, scope) => {
    type PullError = Effect.Error<typeof pull>
    return Effect.contextWith((context) => {
      const run = Effect.runForkWith(context)
      let pending: Fiber.Fiber<Chunk, PullError> | undefined
      /** A heartbeat for which no pull waited. */
      let isDue = false
      let waiting: ((chunk: Effect.Effect<Chunk, PullError>) => void) | undefined
      const resume = (chunk: Effect.Effect<Chunk, PullError>) => {
        const waiter = waiting
        waiting = undefined
        waiter?.(chunk)
      }
      const deliver = () => {
        const exit = pending?.pollUnsafe()
        if (exit === undefined || waiting === undefined) return
        pending = undefined
        resume(exit)
      }
      const beat = () => {
        if (waiting === undefined) isDue = true
        else resume(Effect.succeed([heartbeat]))
      }
      const next = Effect.callback<Chunk, PullError>((waiter) => {
        waiting = waiter
        if (isDue) {
          isDue = false
          return beat()
        }
        if (pending !== undefined) return deliver()
        pending = run(pull)
        pending.addObserver(deliver)
      })
      const beats = Effect.forever(Effect.andThen(Effect.sleep(interval), Effect.sync(beat)))
      const stop = Effect.suspend(() => pending === undefined ? Effect.void : Fiber.interrupt(pending))
      return Effect.as(Effect.andThen(Scope.addFinalizer(scope, stop), Effect.forkIn(beats, scope)), next)
    })
  })

export const headers = { "cache-control": "no-cache", "x-accel-buffering": "no" }
