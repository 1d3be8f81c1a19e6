// The figures of days. A day is computed from its sessions, and stored. What changes a session of an earlier day notes
// that day, so that a refresh finds it without reading sessions.
import type * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option } from "effect"
import type * as DayMetrics from "./DayMetrics.ts"

export interface StoredDays {
  /** The oldest first. */
  readonly days: ReadonlyArray<DayMetrics.DayMetrics>
  /** The latest of all days, also of days that are not listed. */
  readonly updated_at: Time.EpochSeconds | null
}

export interface DayRefresh {
  readonly day: DayMetrics.Day
  /** The id of a day that is not stored yet. */
  readonly id: string
  readonly at: Time.EpochSeconds
}

export class MetricsStore extends Context.Service<MetricsStore, {
  readonly list: (range: DayMetrics.Range) => Effect.Effect<StoredDays, StorageUnavailable>
  /** Computed from the sessions of the owner. Nothing is stored. The oldest first. */
  readonly compute: (
    owner: Owner.Owner,
    range: DayMetrics.Range
  ) => Effect.Effect<ReadonlyArray<DayMetrics.Figures & { readonly day: DayMetrics.Day }>, StorageUnavailable>
  /** The days to compute: changed days, and the days from the newest incomplete one to today. */
  readonly outdated: (today: DayMetrics.Day) => Effect.Effect<ReadonlyArray<DayMetrics.Day>, StorageUnavailable>
  /** Computes a day and stores it. One without sessions is not stored. */
  readonly refresh: (day: DayRefresh) => Effect.Effect<Option.Option<DayMetrics.DayMetrics>, StorageUnavailable>
}>()("@svc-runtime/features/metrics/MetricsStore") {}
