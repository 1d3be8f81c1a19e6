// The state of a session while steps work on it. Each attempt of a step gets a copy; what it has changed counts when the
// step is finished, key by key. So a failed attempt leaves nothing behind, and branches do not undo each other.
import type { Json } from "@svc/domain"
import * as StateChange from "../session/StateChange.ts"

export interface SharedState {
  /** Replaced, never changed. */
  current: Json.Object
}

export const copyOf = ({ current }: SharedState): Record<string, Json.Value> => structuredClone(current)

export const apply = (state: SharedState, change: StateChange.StateChange | undefined): void => {
  state.current = StateChange.apply(state.current, change)
}
