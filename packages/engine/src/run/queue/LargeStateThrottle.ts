// Runs in a session with a large state follow each other with delays while this node executes other runs: each of them
// reads, compares and stores the whole state, so that a caller who repeats them would take most of the node's time.
import type * as Json from "@svc-runtime/domain/Json"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type * as Session from "@svc-runtime/domain/Session"
import { Effect } from "effect"

/** Characters of JSON. A run with a smaller state costs little more than one without. */
const small = 4096

/** The delay as a multiple of the time in which the end of the run was stored: a busy machine needs longer delays. */
const factor = 6

/** Milliseconds of a delay for each character: a database may be slow without work for this node. */
const maxDelayPerCharacter = 1 / 128

/** In milliseconds. */
const maxDelay = 1000

/** Above this number of sessions, delays that are over are removed. */
const manySessions = 1000

export interface LargeStateThrottle {
  /** Returns when the delay of the session is over. */
  readonly wait: (session: Session.Id) => Effect.Effect<void>
  /**
   * Stores the end of a run that began with a state of this many characters. Its delay is added to those of the runs
   * that were executed at the same time.
   */
  readonly after: <A, E, R>(
    session: Session.Id,
    length: number,
    storing: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

export const make = (): LargeStateThrottle => {
  const ends = new Map<Session.Id, number>()

  const restOf = (session: Session.Id, now: number) => Math.max(0, (ends.get(session) ?? now) - now)

  const removeEnded = (now: number) => {
    for (const [session, end] of ends) if (end <= now) ends.delete(session)
  }

  return {
    wait: (session) =>
      Effect.suspend(() => {
        if (!ends.has(session)) return Effect.void
        return Effect.flatMap(Monotonic.millis, (now) => {
          const rest = restOf(session, now)
          return rest > 0 ? Effect.sleep(rest) : Effect.void
        })
      }),
    after: (session, length, storing) =>
      length <= small ?
        storing :
        Effect.flatMap(Monotonic.millis, (begun) =>
          Effect.tap(storing, () =>
            Effect.map(Monotonic.millis, (now) => {
              if (ends.size >= manySessions) {
                removeEnded(now)
              }
              const delay = Math.min((now - begun) * factor, length * maxDelayPerCharacter)
              ends.set(session, now + Math.min(restOf(session, now) + delay, maxDelay))
            })))
  }
}

export const lengthOf = (state: Json.Object): number => JSON.stringify(state).length
