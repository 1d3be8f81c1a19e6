// The metrics of a service: figures of days, and the usage of hours and days.
import type * as UsageHour from "@svc-runtime/domain/UsageHour"
import type * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"
import { Effect } from "effect"
import { owned } from "./OwnerQuery.ts"
import * as Pages from "./Pages.ts"
import { SvcClient } from "./SvcClient.ts"

/** `YYYY-MM-DD`. Both days belong to the range. */
export interface Range {
  readonly starting_date?: string
  readonly ending_date?: string
}

export interface Usage extends Range {
  /** Default: `day`. */
  readonly interval?: UsageHour.Interval
  /** One figure for each component, user or model of an interval; without it one for all of them. */
  readonly group_by?: UsageHour.Group
  readonly agent_id?: string
  readonly team_id?: string
  readonly workflow_id?: string
  readonly model_id?: string
  readonly user_id?: string
}

/** The figures of the days that have sessions. The service computes them first if it has not done so for a minute. */
export const days = Effect.fn("Metrics.days")(function*(range: Range = {}) {
  const client = yield* SvcClient
  return (yield* client.metrics.list({ query: range })).metrics
})

/** The runs that ended in each hour or day, with their tokens, cost and times. */
export const usage = (query: Usage = {}) =>
  Pages.stream((page) =>
    Effect.flatMap(SvcClient, (client) =>
      client.metrics.usage({
        query: {
          ...owned(query),
          interval: query.interval ?? "day",
          page,
          limit: 1000
        }
      }))
  )

/** Computes the figures of days at once, and returns the days that were computed. */
export const refresh = Effect.fn("Metrics.refresh")(function*() {
  const client = yield* SvcClient
  return (yield* client.metrics.refresh({ query: { background: false } })) as ReadonlyArray<DayMetrics.Record>
})
