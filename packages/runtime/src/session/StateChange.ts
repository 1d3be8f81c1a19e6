// What a run or a step has changed in the state of its session. Changes are kept and stored instead of whole states, so
// that what others store meanwhile stays.
import * as Json from "@svc/domain/Json"
import { Effect, Option, Result, Schema } from "effect"

export const StateChange = Schema.Struct({ set: Json.Object, removed: Schema.Array(Schema.String) })
export type StateChange = typeof StateChange.Type

/** Compares by key. Undefined when nothing was changed. */
export const between = (before: Json.Object, after: Json.Object): StateChange | undefined => {
  const set = Object.fromEntries(
    Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]))
  )
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  return Object.keys(set).length === 0 && removed.length === 0 ? undefined : { set, removed }
}

const parse = Schema.decodeOption(Schema.fromJsonString(Json.Object))

/** Most runs have no state. */
const isEmpty = (state: unknown): boolean => {
  if (typeof state !== "object" || state === null || Object.getPrototypeOf(state) !== Object.prototype) return false
  for (const _ in state) return false
  return true
}

/** The state as JSON keeps it; none when JSON cannot say it. */
export const toJson = (state: unknown): Option.Option<Json.Object> =>
  isEmpty(state)
    ? Option.some({})
    : Option.flatMap(Option.fromUndefinedOr(Result.getOrUndefined(Result.try(() => JSON.stringify(state)))), parse)

/** What an author's code has changed in a state. One that JSON cannot say is dropped: a store would refuse it. */
export const made = (before: Json.Object, after: unknown): Effect.Effect<StateChange | undefined> =>
  Option.match(toJson(after), {
    onSome: (known) => Effect.succeed(between(before, known)),
    onNone: () =>
      Effect.as(
        Effect.logError("The state of the session is no JSON any more. What was changed in it here is dropped."),
        undefined
      )
  })

/** Changes a state in place that others hold a reference to. */
export const applyTo = (state: Record<string, Json.Value>, change: StateChange | undefined): void => {
  if (change === undefined) return
  for (const key of change.removed) delete state[key]
  for (const [key, value] of Object.entries(change.set)) {
    Object.defineProperty(state, key, { value, enumerable: true, configurable: true, writable: true })
  }
}

export const apply = (state: Json.Object, change: StateChange | undefined): Json.Object => {
  if (change === undefined) return state
  const removed = new Set(change.removed)
  const kept = Object.entries(state).filter(([key]) => !removed.has(key))
  return Object.fromEntries([...kept, ...Object.entries(change.set)])
}
