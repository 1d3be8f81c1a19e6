// Reads stored runs, in whichever database of the service they are. A filter by component selects its database.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, Layer } from "effect"
import type { RunSnapshot } from "./RunReads.ts"
import { RunStore } from "./RunStore.ts"

export class StoredRuns extends Context.Service<
  StoredRuns,
  Pick<RunStore["Service"], "find" | "fork" | "list" | "search" | "snapshot"> & {
    /** Marks a run as replaced by another one. */
    readonly supersede: (
      run: Pick<RunSnapshot, "database" | "run_id">,
      at: Time.EpochSeconds
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("@svc-runtime/engine/run/store/StoredRuns") {
  /** Those of one database. */
  static readonly layer: Layer.Layer<StoredRuns, never, RunStore> = Layer.effect(
    StoredRuns,
    RunStore.useSync((store) => StoredRuns.of({ ...store, supersede: ({ run_id }, at) => store.supersede(run_id, at) }))
  )
}
