// Reads stored runs, in whichever database of the service they are. A filter by component selects its database.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, Effect, Layer, Option } from "effect"
import { JobStore } from "../../jobs/JobStore.ts"
import * as CopiedRuns from "../CopiedRuns.ts"
import { RunLifecycle } from "./RunLifecycle.ts"
import { RunReading } from "./RunReading.ts"
import type { PlacedRun, RunFilter, RunSnapshot } from "./RunReads.ts"

/** Of the only run whose place is given. */
export const previousIn = ([place]: ReadonlyArray<PlacedRun>): Option.Option<Run.Id> =>
  Option.fromNullishOr(place?.previous_run_id)

export class StoredRuns extends Context.Service<
  StoredRuns,
  Pick<RunReading["Service"], "find" | "list" | "outlines" | "search" | "snapshot"> & {
    /** Copies a session, and makes what its copies need. None: there is nothing to copy. */
    readonly fork: ReturnType<typeof CopiedRuns.fork>
    /** As those of `RunReading`, of a session of the component. */
    readonly places: (
      session: Session.Id,
      runs: ReadonlyArray<Run.Id>,
      filter: Pick<RunFilter, "component">
    ) => ReturnType<RunReading["Service"]["places"]>
    /** Marks a run as replaced by another one. */
    readonly supersede: (
      run: Pick<RunSnapshot, "database" | "run_id">,
      at: Time.EpochSeconds
    ) => Effect.Effect<void, StorageUnavailable>
    /** The run of its session that a run comes after. None: it is the first one of its path. */
    readonly previous: (
      run: Pick<RunSnapshot, "database" | "run_id" | "session_id">
    ) => Effect.Effect<Option.Option<Run.Id>, StorageUnavailable>
  }
>()("@svc-runtime/engine/run/store/StoredRuns") {
  /** Those of one database. */
  static readonly layer: Layer.Layer<StoredRuns, never, JobStore | RunLifecycle | RunReading> = Layer.effect(
    StoredRuns,
    Effect.gen(function*() {
      const { fork, supersede } = yield* RunLifecycle
      const { find, list, outlines, places, search, snapshot } = yield* RunReading
      return StoredRuns.of({
        find,
        fork: CopiedRuns.fork({ fork }, yield* JobStore),
        list,
        outlines,
        places: (session, runs) => places(session, runs),
        search,
        snapshot,
        supersede: ({ run_id }, at) => supersede(run_id, at),
        previous: ({ run_id, session_id }) => Effect.map(places(session_id, [run_id]), previousIn)
      })
    })
  )
}
