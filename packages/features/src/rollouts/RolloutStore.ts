// Where rollouts are kept, in the service's own database like the components, and what the runs of versions were like.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type * as Component from "@svc-runtime/domain/Component"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option } from "effect"
import type * as Rollout from "./Rollout.ts"
import type * as VersionFigures from "./VersionFigures.ts"

/** Rollouts that are not ended. */
export const maxOpen = 1000

/** The newest runs of a component that are read for figures. */
export const maxRuns = 20_000

/**
 * Runs that ended from `since` until before `until`. One that another run replaces counts as it ended. Those of
 * evaluations do not count.
 */
export interface RunsOfVersions {
  readonly component: ComponentRef
  readonly owner: Owner.Owner
  readonly since: EpochSeconds
  readonly until: EpochSeconds
}

export class RolloutStore extends Context.Service<RolloutStore, {
  /** All that have not ended. At most `maxOpen`. */
  readonly open: Effect.Effect<ReadonlyArray<Rollout.Stored>, StorageUnavailable>
  /** The newest one of a component. */
  readonly latest: (component_id: Component.Id) => Effect.Effect<Option.Option<Rollout.Stored>, StorageUnavailable>
  /** The newest first. */
  readonly list: (component_id: Component.Id, page: Pagination.Request) => Effect.Effect<
    { readonly rollouts: ReadonlyArray<Rollout.Stored>; readonly total: number },
    StorageUnavailable
  >
  /** `taken`: the component has one that is not ended. `full`: there are `maxOpen`. */
  readonly create: (rollout: Rollout.Stored) => Effect.Effect<"created" | "full" | "taken", StorageUnavailable>
  /** False if it does not have the revision before that of the new one. A stop of the guard is announced. */
  readonly replace: (rollout: Rollout.Stored) => Effect.Effect<boolean, StorageUnavailable>
  /** By version. `isComplete`: all runs were read. */
  readonly figures: (runs: RunsOfVersions) => Effect.Effect<
    { readonly figures: ReadonlyArray<VersionFigures.Figures>; readonly isComplete: boolean },
    StorageUnavailable
  >
  /** Needs the table of feedback. A score counts as `maxScore` if it is above. */
  readonly scores: (runs: RunsOfVersions) => Effect.Effect<ReadonlyArray<VersionFigures.Scores>, StorageUnavailable>
}>()("@svc-runtime/features/rollouts/RolloutStore") {}
