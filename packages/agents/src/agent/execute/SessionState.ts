// The session state during a run: a copy that the author's functions change, and the changes that are stored at its
// end.
import type * as Json from "@svc-runtime/domain/Json"
import { checkState, type ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import { Effect, Option } from "effect"

/** The stored state with the state of the request, whose keys win. */
export const merged = (stored: Json.Object, sent: Json.Object | undefined): Json.Object => ({ ...stored, ...sent })

/** A copy of the merged state. Texts and numbers need no copy. */
export const open = (stored: Json.Object, sent: Json.Object | undefined): Record<string, Json.Value> => {
  const state: Record<string, Json.Value> = merged(stored, sent)
  for (const key of Object.keys(state)) {
    const value = state[key]
    if (typeof value === "object" && value !== null) state[key] = structuredClone(value)
  }
  return state
}

export interface Closed {
  /** As the run shows it. */
  readonly state: Json.Object
  /** The state to store. Undefined if it is unchanged. */
  readonly changes: StateChange.StateChange | undefined
}

const of = (stored: Json.Object, current: Json.Object): Effect.Effect<Closed> =>
  Effect.map(StateChange.made(stored, current), (changes) => ({ state: StateChange.apply(stored, changes), changes }))

/** Fails when the run has made the state too large to be stored. `close` logs what JSON cannot say. */
export const check = (stored: Json.Object, current: Json.Object): Effect.Effect<void, ValueTooLarge> => {
  const changes = Option.getOrUndefined(StateChange.changeTo(stored, current))
  return changes === undefined ? Effect.void : checkState(stored, StateChange.apply(stored, changes))
}

/** A run that failed with a state that is too large leaves the stored one as it is. */
export const close = Effect.fnUntraced(function*(stored: Json.Object, current: Json.Object): Effect.fn.Return<Closed> {
  const closed = yield* of(stored, current)
  if (closed.changes === undefined) return closed
  return yield* Effect.matchEffect(checkState(stored, closed.state), {
    onSuccess: () => Effect.succeed(closed),
    onFailure: ({ message }) =>
      Effect.as(Effect.logWarning("A change of the session state is dropped", message), {
        state: stored,
        changes: undefined
      })
  })
})
