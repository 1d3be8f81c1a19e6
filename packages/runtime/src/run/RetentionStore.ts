// What is removed from the database after a time, in pieces: each of them is one statement over a bounded number of rows.
import type { StorageUnavailable } from "@svc/domain"
import { Context, Effect, Layer } from "effect"

export const tasks = ["folds", "events", "journals", "idempotency", "audit", "nodes"] as const

/**
 * `folds` puts the pieces of answers together that have ended, `events` and `journals` are removed of runs that have ended,
 * `idempotency` has keys that have expired, `nodes` those that have not been heard of.
 */
export type Task = typeof tasks[number]

export class RetentionStore extends Context.Service<RetentionStore, {
  /** Whether this node has the lease, which it keeps for a minute. One node at a time has it. */
  readonly acquire: (holder: string) => Effect.Effect<boolean, StorageUnavailable>
  /** Does one piece of what is older, and gives how many rows that were. None: there is nothing to do. */
  readonly prune: (task: Task, olderThanSeconds: number) => Effect.Effect<number, StorageUnavailable>
}>()("@svc/runtime/run/RetentionStore") {
  /** What is in memory goes with the process. */
  static readonly layerMemory: Layer.Layer<RetentionStore> = Layer.succeed(
    RetentionStore,
    RetentionStore.of({ acquire: () => Effect.succeed(false), prune: () => Effect.succeed(0) })
  )
}
