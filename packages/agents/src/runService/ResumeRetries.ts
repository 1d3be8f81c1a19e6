// The delay before a failed resume is retried. It doubles with each failure.
import type * as Run from "@svc-runtime/domain/Run"
import { Clock, Effect } from "effect"

const firstPauseMillis = 5000
const maxPauseMillis = 300_000

export const make = () => {
  const retries = new Map<Run.Id, { readonly failures: number; readonly notBefore: number }>()
  return {
    /** Milliseconds until it is tried again. */
    failed: (run: Run.Id) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const failures = (retries.get(run)?.failures ?? 0) + 1
        const pause = Math.min(maxPauseMillis, firstPauseMillis * 2 ** (failures - 1))
        retries.set(run, { failures, notBefore: time + pause })
        return pause
      }),
    isDue: (run: Run.Id, time: number): boolean => (retries.get(run)?.notBefore ?? 0) <= time,
    forget: (run: Run.Id): void => void retries.delete(run),
    /** Forgets the other runs: another node resumed them, or they ended. */
    keep: (pending: ReadonlySet<Run.Id>): void => {
      for (const run of retries.keys()) if (!pending.has(run)) retries.delete(run)
    }
  }
}
