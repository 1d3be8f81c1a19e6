// Runs whose execution on this node broke off without being stored or handed over. The node acquires such a run again,
// under a new attempt and from its last step; a run that breaks off every time ends as ERROR, so that it does not
// block its session.
import type * as Run from "@svc-runtime/domain/Run"

const maxReclaims = 3

/** More than a node executes. Above it the oldest counts are dropped. */
const maxEntries = 10_000

/** Milliseconds before the next attempt, so that a run that fails at once does not use up its attempts at once. */
const pauseAfter = (failures: number): number => failures === 0 ? 0 : 1000 * 4 ** (failures - 1)

export interface Reclaims {
  /** `isItsFault`: counts as a failure of the run, and not of the node. */
  readonly brokeOff: (run: Run.Id, at: { readonly time: number; readonly isItsFault: boolean }) => void
  /** Whether some are to be acquired again. They are returned once. */
  readonly takeDue: (time: number) => boolean
  readonly areWaiting: () => boolean
  readonly isExhausted: (run: Run.Id) => boolean
  readonly ended: (run: Run.Id) => void
}

export const make = (): Reclaims => {
  const failures = new Map<Run.Id, number>()
  const waiting = new Map<Run.Id, number>()
  return {
    brokeOff: (run, { isItsFault, time }) => {
      const count = (failures.get(run) ?? 0) + (isItsFault ? 1 : 0)
      failures.delete(run)
      failures.set(run, count)
      waiting.set(run, time + pauseAfter(count))
      for (const oldest of failures.keys()) {
        if (failures.size <= maxEntries) break
        failures.delete(oldest)
      }
    },
    takeDue: (time) => {
      const due = [...waiting].filter(([, at]) => at <= time)
      for (const [run] of due) waiting.delete(run)
      return due.length > 0
    },
    areWaiting: () => waiting.size > 0,
    isExhausted: (run) => (failures.get(run) ?? 0) > maxReclaims,
    ended: (run) => {
      failures.delete(run)
      waiting.delete(run)
    }
  }
}
