// The state of a session while steps work on it. Each attempt of a step gets a copy; what it has changed counts when the
// step is finished, key by key. So a failed attempt leaves nothing behind, and branches do not undo each other.
import { Json } from "@svc/domain"
import { Effect, Option, Result, Schema } from "effect"
import * as StateChange from "../session/StateChange.ts"

const parse = Schema.decodeOption(Schema.fromJsonString(Json.Object))

export interface SharedState {
  /** Replaced, never changed. */
  current: Json.Object
}

export const copyOf = ({ current }: SharedState): Record<string, Json.Value> => structuredClone(current)

export const apply = (state: SharedState, change: StateChange.StateChange | undefined): void => {
  state.current = StateChange.apply(state.current, change)
}

/** Undefined when nothing was changed. What JSON cannot say is dropped, because a store would choke on it. */
export const changeOf = (before: Json.Object, after: unknown): Effect.Effect<StateChange.StateChange | undefined> => {
  const text = Result.getOrUndefined(Result.try(() => JSON.stringify(after)))
  if (text === JSON.stringify(before)) return Effect.succeed(undefined)
  const known = text === undefined ? Option.none() : parse(text)
  return Option.isSome(known)
    ? Effect.succeed(StateChange.between(before, known.value))
    : Effect.as(
      Effect.logError("The state of the session is no JSON any more. What this step changed in it is dropped."),
      undefined
    )
}
