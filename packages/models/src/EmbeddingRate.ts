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
  /** Who waits for the vectors: such calls of one caller have half of the rate. Undefined: they have all of it. */
  readonly caller: string | undefined
}>("@svc-runtime/models/EmbeddingRate/EmbeddingCall", {
  defaultValue: () => ({ isAwaited: false, isCounted: false, caller: undefined })
})

/** For an effect whose caller waits for the vectors. */
export const awaited = Effect.updateService(EmbeddingCall, (call) => ({ ...call, isAwaited: true }))

/** For an effect of this caller. */
export const calledBy = (caller: string | undefined) =>
  Effect.updateService(EmbeddingCall, (call) => ({ ...call, caller }))

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

/** A call of one caller takes up as much of its share as this many calls of the rate. */
const shares = 2

/** Above this number of callers, the ones without a recent call are removed. */
const manyCallers = 1000

export const make = ({ requestsPerMinute, tokensPerMinute }: Limits = {}): EmbeddingRate => {
  let [requestsUntil, tokensUntil, pausedUntil] = [0, 0, 0]
  /** Until when callers who wait for vectors have used their share. */
  const callers = new Map<string, number>()
  /** The turn of a call of a caller. */
  const turnOf = (caller: string, now: number, cost: number): number => {
    if (callers.size >= manyCallers) { for (const [each, until] of callers) if (until <= now) callers.delete(each) }
    const until = callers.get(caller) ?? 0
    callers.set(caller, Math.min(Math.max(until, now) + shares * cost, now + minute))
    return until - burst
  }
  const whilePaused: Effect.Effect<void> = Effect.flatMap(
    Monotonic.millis,
    (now) => pausedUntil <= now ? Effect.void : Effect.andThen(Effect.sleep(pausedUntil - now), whilePaused)
  )
  return {
    take: Effect.fnUntraced(function*(bytes) {
      const now = yield* Monotonic.millis
      const { caller, isAwaited } = yield* EmbeddingCall
      const requests = costOf(1, requestsPerMinute)
      const tokens = costOf(Math.ceil(bytes / bytesPerToken), tokensPerMinute)
      const own = caller === undefined ? now : turnOf(caller, now, Math.max(requests, tokens))
      const turn = isAwaited ? own : Math.max(requestsUntil, tokensUntil) - burst
      const after = (until: number, cost: number) => {
        const taken = Math.max(until, now) + cost
        return isAwaited ? Math.max(until, Math.min(taken, now + minute)) : taken
      }
      requestsUntil = after(requestsUntil, requests)
      tokensUntil = after(tokensUntil, tokens)
      if (turn > now) yield* Effect.sleep(turn - now)
      yield* whilePaused
    }),
    pause: (millis) => Effect.map(Monotonic.millis, (now) => void (pausedUntil = Math.max(pausedUntil, now + millis)))
  }
}
