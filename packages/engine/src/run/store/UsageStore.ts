// Usage by the hour. The end of a run is stored with the run, and added to the figures of its hour later: both in one
// transaction, so that each end counts once.
import type { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as UsageHour from "@svc-runtime/domain/UsageHour"
import { Context, type Effect } from "effect"

export interface UsageFilter {
  readonly owner: Owner.Owner
  /** Hours since the epoch. The second one does not belong to the range. */
  readonly from: number
  readonly to: number
  readonly interval: UsageHour.Interval
  readonly group: UsageHour.Group | undefined
  readonly component: { readonly kind: ComponentKind; readonly id: string } | undefined
  readonly model_id: string | undefined
}

export interface UsagePage {
  readonly figures: ReadonlyArray<UsageHour.Figures>
  readonly total: number
}

export const hoursOf = (interval: UsageHour.Interval): number => interval === "day" ? 24 : 1

/** Ends that are added at a time. */
export const endsPerBatch = 500

export class UsageStore extends Context.Service<UsageStore, {
  /** Adds ends that were not added yet, and returns their number: below `endsPerBatch`, no others wait. */
  readonly rollUp: () => Effect.Effect<number, StorageUnavailable>
  /** Removes the id of the user. The figures stay. */
  readonly forget: (user_id: Ids.UserId) => Effect.Effect<void, StorageUnavailable>
  /** In the order of time, and then of the group. */
  readonly list: (filter: UsageFilter, page: Pagination.Request) => Effect.Effect<UsagePage, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/UsageStore") {}
