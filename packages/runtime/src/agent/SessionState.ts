// The session state during a run: a copy that the author's functions change, and the changes that are stored at its
// end.
import type { Json } from "@svc/domain"
import { Effect } from "effect"
import * as StateChange from "../session/StateChange.ts"

/** The stored state merged with the state of the request. */
export const open = (stored: Json.Object, sent: Json.Object | undefined): Record<string, Json.Value> =>
  structuredClone({ ...stored, ...sent })

export interface Closed {
  /** As the run shows it. */
  readonly state: Json.Object
  /** The state to store. Undefined if it is unchanged. */
  readonly changes: StateChange.StateChange | undefined
}

export const close = (stored: Json.Object, current: Json.Object): Effect.Effect<Closed> =>
  Effect.map(StateChange.made(stored, current), (changes) => ({ state: StateChange.apply(stored, changes), changes }))
