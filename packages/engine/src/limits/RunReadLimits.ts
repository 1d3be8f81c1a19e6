// How many bytes of stored runs are read at most.
import { Context } from "effect"

export interface RunReadLimits {
  /** Of the earlier messages that a run is shown: the newest runs of its history that fit (HISTORY_MAX_BYTES). */
  readonly history: number
  /** Of a run that is read to be resumed: reading takes several times as much memory (MAX_RESTORED_RUN_BYTES). */
  readonly restored: number
}

const mebibyte = 1024 * 1024

export const defaultRunReadLimits: RunReadLimits = { history: 8 * mebibyte, restored: 256 * mebibyte }

export const RunReadLimits = Context.Reference<RunReadLimits>("@svc-runtime/engine/limits/RunReadLimits", {
  defaultValue: () => defaultRunReadLimits
})
