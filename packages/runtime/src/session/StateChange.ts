// What a run or a step has changed in the state of its session. Changes are kept and stored instead of whole states, so
// that what others store meanwhile stays.
import { Json } from "@svc/domain"
import { Schema } from "effect"

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

export const apply = (state: Json.Object, change: StateChange | undefined): Json.Object => {
  if (change === undefined) return state
  const removed = new Set(change.removed)
  const kept = Object.entries(state).filter(([key]) => !removed.has(key))
  return Object.fromEntries([...kept, ...Object.entries(change.set)])
}
