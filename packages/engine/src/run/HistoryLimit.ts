// How many bytes of earlier messages a run is shown at most: the newest runs of its history that fit. The setting is
// HISTORY_MAX_BYTES.
import { Context } from "effect"

export const defaultHistoryLimit = 8 * 1024 * 1024

export const HistoryLimit = Context.Reference<number>("@svc-runtime/engine/run/HistoryLimit", {
  defaultValue: () => defaultHistoryLimit
})
