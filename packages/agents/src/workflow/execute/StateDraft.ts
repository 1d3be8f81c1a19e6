// The session state during a workflow. Each attempt works on a copy, and a finished step merges its changes by key. A
// failed attempt leaves no changes, and branches do not overwrite each other.
import type * as Json from "@svc-runtime/domain/Json"
import * as StateChange from "@svc-runtime/engine/session/StateChange"

export interface SharedState {
  /** Replaced, never changed in place. */
  current: Json.Object
}

export const copyOf = ({ current }: SharedState): Record<string, Json.Value> => structuredClone(current)

export const apply = (state: SharedState, change: StateChange.StateChange | undefined): void => {
  state.current = StateChange.apply(state.current, change)
}
