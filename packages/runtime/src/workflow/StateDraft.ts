// The state of a session while steps work on it. Each attempt of a step gets a copy; what it has changed counts when the
// step is finished, key by key. So a failed attempt leaves nothing behind, and branches do not undo each other.
import { Json } from "@svc/domain"
import { Effect, Option, Result, Schema } from "effect"
import type { StateChange } from "./Journal.ts"

const parse = Schema.decodeOption(Schema.fromJsonString(Json.Object))

export interface SharedState {
  /** Replaced, never changed. */
  current: Json.Object
}

export const copyOf = ({ current }: SharedState): Record<string, Json.Value> => structuredClone(current)

export const apply = (state: SharedState, change: StateChange | undefined): void => {
  if (change === undefined) return
  const next: Record<string, Json.Value> = { ...state.current, ...change.set }
  for (const key of change.removed) delete next[key]
  state.current = next
}

const differenceOf = (before: Json.Object, after: Json.Object): StateChange | undefined => {
  const set = Object.fromEntries(
    Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]))
  )
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  return Object.keys(set).length === 0 && removed.length === 0 ? undefined : { set, removed }
}

/** Undefined when nothing was changed. What JSON cannot say is dropped, because a store would choke on it. */
export const changeOf = (before: Json.Object, after: unknown): Effect.Effect<StateChange | undefined> => {
  const text = Result.getOrUndefined(Result.try(() => JSON.stringify(after)))
  if (text === JSON.stringify(before)) return Effect.succeed(undefined)
  const known = text === undefined ? Option.none() : parse(text)
  return Option.isSome(known)
    ? Effect.succeed(differenceOf(before, known.value))
    : Effect.as(
      Effect.logError("The state of the session is no JSON any more. What this step changed in it is dropped."),
      undefined
    )
}
