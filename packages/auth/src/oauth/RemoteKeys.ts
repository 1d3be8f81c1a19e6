// The keys of an external authorization server. They are read when the first token arrives, and again when they are old
// or a token names an unknown key. If they cannot be read, the last ones stay valid.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Effect, Semaphore } from "effect"
import type { Algorithm } from "../Algorithm.ts"
import * as JwksFile from "../JwksFile.ts"
import type { JwtKeys } from "../JwtKeys.ts"

/** Milliseconds. Tokens with unknown key ids must not make the service ask the issuer all the time. */
const readEvery = 600_000
const readForUnknown = 10_000

const none: JwksFile.KeySet = { byId: new Map(), unnamed: undefined }

/** `read` gives the text of a JSON Web Key Set, or why there is none. */
export const make = Effect.fnUntraced(function*(read: Effect.Effect<string, string>, algorithm: Algorithm) {
  const oneAtATime = yield* Semaphore.make(1)
  let set = none
  let generation = 0
  let readAt = -Infinity
  let hasKeys = false
  let reported: string | undefined

  const reading = Effect.gen(function*() {
    const parsed = yield* Effect.fromResult(JwksFile.parse(yield* read, algorithm))
    set = parsed.set
    generation++
    hasKeys = true
    reported = undefined
  }).pipe(Effect.catch((problem) => {
    // logged once, not for every request
    if (problem === reported) return Effect.void
    reported = problem
    return Effect.logError(`The keys of MCP_OAUTH cannot be read: ${problem}. The keys that were read last stay in use`)
  }))

  const isOld = (now: number, milliseconds: number) => now - readAt >= milliseconds

  // waits for a reading that another request began
  const readIfOlder = (milliseconds: number) =>
    oneAtATime.withPermits(1)(Effect.flatMap(Monotonic.millis, (now) => {
      if (!isOld(now, milliseconds)) return Effect.void
      readAt = now
      return reading
    }))

  const interval = () => hasKeys ? readEvery : readForUnknown

  const keys: JwtKeys = {
    candidates: Effect.fnUntraced(function*(kid) {
      if (kid !== undefined && !set.byId.has(kid)) yield* readIfOlder(readForUnknown)
      const named = kid === undefined ? undefined : set.byId.get(kid)
      const found = named ?? set.unnamed
      if (found !== undefined) return [found]
      // a token without a key id can be of any key
      return kid === undefined ? [...set.byId.values()] : []
    }),
    generation: () => generation,
    isDue: (now) => isOld(now, interval()),
    refresh: Effect.suspend(() => readIfOlder(interval()))
  }
  return keys
})
