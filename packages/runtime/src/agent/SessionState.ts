// The state of a session while a run works on it: a copy that the author's functions change, and what of it is stored
// when the run ends.
import { Json } from "@svc/domain"
import { Effect, Option, Result, Schema } from "effect"

/** What is stored, with what the caller sent laid over it. */
export const open = (stored: Json.Object, sent: Json.Object | undefined): Record<string, Json.Value> =>
  structuredClone({ ...stored, ...sent })

/** Lays what has changed between two states over one that others may have changed meanwhile, key by key. */
export const carry = (state: Record<string, Json.Value>, before: Json.Object, after: Json.Object): void => {
  for (const [key, value] of Object.entries(after)) {
    if (JSON.stringify(value) !== JSON.stringify(before[key])) state[key] = value
  }
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) delete state[key]
}

export interface Closed {
  /** As the run shows it. */
  readonly state: Json.Object
  /** To be stored. Undefined when it is as it was. */
  readonly changed: Json.Object | undefined
}

const parse = Schema.decodeOption(Schema.fromJsonString(Json.Object))

/** Only what JSON can say is kept; a state that it cannot say is dropped, because a store would choke on it. */
export const close = (stored: Json.Object, current: Json.Object): Effect.Effect<Closed> => {
  const text = Result.getOrUndefined(Result.try(() => JSON.stringify(current)))
  if (text === JSON.stringify(stored)) return Effect.succeed({ state: stored, changed: undefined })
  const changed = text === undefined ? Option.none() : parse(text)
  return Option.isSome(changed)
    ? Effect.succeed({ state: changed.value, changed: changed.value })
    : Effect.as(
      Effect.logError("The state of the session is no JSON any more. What this run changed in it is dropped."),
      { state: stored, changed: undefined }
    )
}
