// Usage by the hour. The end of a run is stored with the run, and added to the figures of its hour later: both in one
// transaction, so that each end counts once.
import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import type { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import * as UsageSums from "@svc-runtime/domain/UsageSums"
import { Context, Effect, Layer } from "effect"

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
}>()("@svc-runtime/features/metrics/UsageStore") {
  static readonly layerMemory: Layer.Layer<UsageStore, never, MemoryDatabase> = Layer.effect(
    UsageStore,
    MemoryDatabase.useSync(({ endedRuns, usageHours }) =>
      UsageStore.of({
        rollUp: () =>
          Effect.sync(() => {
            const ended = endedRuns.splice(0)
            const sums = UsageSums.make()
            usageHours.splice(0).forEach(sums.add)
            ended.forEach(sums.addEnded)
            usageHours.push(...sums.rows())
            return ended.length
          }),
        forget: (user_id) =>
          Effect.sync(() => {
            const unnamed = <Row extends { readonly user_id: string }>(row: Row): Row =>
              row.user_id === user_id ? { ...row, user_id: "" } : row
            endedRuns.push(...endedRuns.splice(0).map(unnamed))
            const sums = UsageSums.make()
            for (const row of usageHours.splice(0)) sums.add(unnamed(row))
            usageHours.push(...sums.rows())
          }),
        list: (filter, page) =>
          Effect.sync(() => {
            const hours = hoursOf(filter.interval)
            const keys: ReadonlyArray<string> = filter.group === undefined ? [] : UsageHour.groupKeys[filter.group]
            const rows = usageHours.filter((row) =>
              row.hour >= filter.from && row.hour < filter.to &&
              Owner.covers(filter.owner, row.user_id as never) &&
              (filter.component === undefined ||
                (row.kind === filter.component.kind && row.component_id === filter.component.id)) &&
              (filter.model_id === undefined || row.model_id === filter.model_id)
            )
            const sums = UsageSums.make()
            for (const row of rows) {
              sums.add({
                ...row,
                hour: Math.floor(row.hour / hours) * hours,
                ...(keys.includes("kind") ? {} : { kind: "agent", component_id: "" }),
                ...(keys.includes("user_id") ? {} : { user_id: "" }),
                ...(keys.includes("model_id") ? {} : { model_id: "", model_provider: "" })
              })
            }
            const hidden = ["kind", "component_id", "user_id", "model_id", "model_provider"]
              .filter((name) => !keys.includes(name))
            const figures = sums.rows().map((row) =>
              Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.includes(name))) as UsageHour.Figures
            ).sort((one, other) => one.hour - other.hour)
            return { figures: Pagination.slice(page, figures), total: figures.length }
          })
      })
    )
  )
}
