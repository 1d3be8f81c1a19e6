// The state of a session while a run works on it: a copy that the author's functions change, and what of it is stored
// when the run ends.
import type { Json } from "@svc/domain"
import { Effect } from "effect"
import * as StateChange from "../session/StateChange.ts"

/** What is stored, with what the caller sent laid over it. */
export const open = (stored: Json.Object, sent: Json.Object | undefined): Record<string, Json.Value> =>
  structuredClone({ ...stored, ...sent })

export interface Closed {
  /** As the run shows it. */
  readonly state: Json.Object
  /** To be stored. Undefined when it is as it was. */
  readonly changes: StateChange.StateChange | undefined
}

export const close = (stored: Json.Object, current: Json.Object): Effect.Effect<Closed> =>
  Effect.map(StateChange.made(stored, current), (changes) => ({ state: StateChange.apply(stored, changes), changes }))
