// How often the embedder of a node is called. All jobs of the node share it: each call waits for its turn. While a
// provider asks one call to wait, no call is sent.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Context, Effect } from "effect"

/** The limits of an embedding model. A limit that is missing does not apply. */
export interface Limits {
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
}

/** How an embedder is called. */
export const EmbeddingCall = Context.Reference<{
  /**
   * A caller waits for the vectors: the call is counted, and does not wait for those of jobs. However many there are, a
   * call of a job does not wait longer than a minute for them.
   */
  readonly isAwaited: boolean
  /** Another embedder makes it, and has counted it. */
  readonly isCounted: boolean
}>("@svc-runtime/models/EmbeddingRate/EmbeddingCall", {
  defaultValue: () => ({ isAwaited: false, isCounted: false })
})

/** For an effect whose caller waits for the vectors. */
export const awaited = Effect.updateService(EmbeddingCall, (call) => ({ ...call, isAwaited: true }))

export interface EmbeddingRate {
  /** Waits for the turn of a call with this many bytes of text. */
  readonly take: (bytes: number) => Effect.Effect<void>
  readonly pause: (millis: number) => Effect.Effect<void>
}

const minute = 60_000

/** How much of the time ahead can be used at once. */
const burst = minute / 6

/** The estimate for most texts in most tokenizers. */
const bytesPerToken = 4

/** The time that a call takes up. */
const costOf = (units: number, perMinute: number | undefined) =>
  perMinute === undefined ? 0 : units * minute / perMinute

export const make = ({ requestsPerMinute, tokensPerMinute }: Limits = {}): EmbeddingRate => {
  let [requestsUntil, tokensUntil, pausedUntil] = [0, 0, 0]
  const whilePaused: Effect.Effect<void> = Effect.flatMap(
    Monotonic.millis,
    (now) => pausedUntil <= now ? Effect.void : Effect.andThen(Effect.sleep(pausedUntil - now), whilePaused)
  )
  return {
    take: Effect.fnUntraced(function*(bytes) {
      const now = yield* Monotonic.millis
      const { isAwaited } = yield* EmbeddingCall
      const turn = isAwaited ? now : Math.max(requestsUntil, tokensUntil) - burst
      const after = (until: number, cost: number) => {
        const taken = Math.max(until, now) + cost
        return isAwaited ? Math.max(until, Math.min(taken, now + minute)) : taken
      }
      requestsUntil = after(requestsUntil, costOf(1, requestsPerMinute))
      tokensUntil = after(tokensUntil, costOf(Math.ceil(bytes / bytesPerToken), tokensPerMinute))
      if (turn > now) yield* Effect.sleep(turn - now)
      yield* whilePaused
    }),
    pause: (millis) => Effect.map(Monotonic.millis, (now) => void (pausedUntil = Math.max(pausedUntil, now + millis)))
  }
}
