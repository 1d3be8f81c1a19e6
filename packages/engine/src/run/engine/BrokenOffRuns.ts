// Runs whose execution on this node broke off without being stored or handed over. The node acquires such a run again,
// under a new attempt and from its last step; a run that breaks off every time ends as ERROR, so that it does not
// block its session.
import type * as Run from "@svc-runtime/domain/Run"
import { Context, Effect, Latch, Layer } from "effect"

const maxFailures = 3

/** More than a node executes. Above it the oldest counts are dropped. */
const maxEntries = 10_000

/** Milliseconds before the next attempt, so that a run that fails at once does not use up its attempts at once. */
const pauseAfter = (failures: number): number => 1000 * 4 ** (failures - 1)

export class BrokenOffRuns extends Context.Service<BrokenOffRuns, {
  readonly brokeOff: (run: Run.Id, time: number) => void
  /** Whether some are to be acquired again. They are returned once. */
  readonly takeDue: (time: number) => boolean
  /** Waits until one breaks off. */
  readonly awaitAny: Effect.Effect<void>
  readonly isExhausted: (run: Run.Id) => boolean
  readonly ended: (run: Run.Id) => void
}>()("@svc-runtime/engine/run/engine/BrokenOffRuns") {
  static readonly layer: Layer.Layer<BrokenOffRuns> = Layer.effect(BrokenOffRuns, Effect.sync(() => make()))
}

const make = (): BrokenOffRuns["Service"] => {
  const failures = new Map<Run.Id, number>()
  const waiting = new Map<Run.Id, number>()
  /** Open while runs wait for another attempt. */
  const areWaiting = Latch.makeUnsafe(false)
  return {
    brokeOff: (run, time) => {
      const count = (failures.get(run) ?? 0) + 1
      failures.delete(run)
      failures.set(run, count)
      waiting.set(run, time + pauseAfter(count))
      for (const oldest of failures.keys()) {
        if (failures.size <= maxEntries) break
        failures.delete(oldest)
      }
      areWaiting.openUnsafe()
    },
    takeDue: (time) => {
      const due = [...waiting].filter(([, at]) => at <= time)
      for (const [run] of due) waiting.delete(run)
      if (waiting.size === 0) areWaiting.closeUnsafe()
      return due.length > 0
    },
    awaitAny: areWaiting.await,
    isExhausted: (run) => (failures.get(run) ?? 0) > maxFailures,
    ended: (run) => {
      failures.delete(run)
      waiting.delete(run)
    }
  }
}
