// Figures of one day: of the sessions that were created on it, in UTC, with all their runs. Sessions of evaluations do
// not count.
import * as Time from "@svc-runtime/domain/Time"
import * as Usage from "@svc-runtime/domain/Usage"
import { DateTime, Option, Schema } from "effect"

const secondsPerDay = 86_400

/** Days since the epoch. */
export const Day = Schema.Int
export type Day = typeof Day.Type

export const dayOf = (at: Time.EpochSeconds): Day => Math.floor(at / secondsPerDay)

export const startOf = (day: Day): Time.EpochSeconds => day * secondsPerDay

const secondsOf = (date: string): number | undefined =>
  Option.getOrUndefined(
    Option.map(DateTime.make(`${date}T00:00:00Z`), ({ epochMilliseconds }) => epochMilliseconds / 1000)
  )

/** `2026-11-22`. */
export const DateText = Schema.String.check(
  Schema.makeFilter(Time.isDate, {
    message: "Input should be a valid date in the format YYYY-MM-DD",
    problem: "date_parsing",
    toJsonSchema: () => ({ format: "date" })
  })
)

export const dayOfText = (date: typeof DateText.Type): Day => dayOf(secondsOf(date) ?? 0)

/** Both ends belong to it. */
export interface Range {
  readonly from: Day | undefined
  readonly to: Day | undefined
}

const count = Schema.Natural

export const Tokens = Schema.Struct(Usage.tokens(count)).annotate({ identifier: "DayTokens" })
export type Tokens = typeof Tokens.Type

/** Runs of one model. Calls of other models inside them do not count. */
export const ModelRuns = Schema.Struct({
  model_id: Schema.String,
  model_provider: Schema.String,
  count
}).annotate({ identifier: "ModelRuns" })
export type ModelRuns = typeof ModelRuns.Type

export const figures = {
  agent_runs_count: count,
  agent_sessions_count: count,
  team_runs_count: count,
  team_sessions_count: count,
  workflow_runs_count: count,
  workflow_sessions_count: count,
  users_count: count,
  token_metrics: Tokens,
  model_metrics: Schema.Array(ModelRuns)
}

const Figures = Schema.Struct(figures)
export type Figures = typeof Figures.Type

export const DayMetrics = Schema.Struct({
  id: Schema.String,
  day: Day,
  ...figures,
  created_at: Time.EpochSeconds,
  updated_at: Time.EpochSeconds
})
export type DayMetrics = typeof DayMetrics.Type

export const Record = Schema.Struct({
  id: Schema.String,
  ...figures,
  /** Midnight. */
  date: Time.DateTime,
  created_at: Time.DateTime,
  updated_at: Time.DateTime
}).annotate({ identifier: "DayMetrics" })
export type Record = typeof Record.Type

export const toRecord = ({ created_at, day, updated_at, ...rest }: DayMetrics): Record => ({
  ...rest,
  date: Time.toDateTime(startOf(day)),
  created_at: Time.toDateTime(created_at),
  updated_at: Time.toDateTime(updated_at)
})

export const Response = Schema.Struct({
  metrics: Schema.Array(Record),
  /** The latest of all days. Null if no day matches. */
  updated_at: Schema.NullOr(Time.DateTime)
}).annotate({ identifier: "Metrics" })

export const Started = Schema.Struct({
  status: Schema.Literals(["started", "already_running"]),
  message: Schema.String
}).annotate({ identifier: "MetricsRefreshStarted" })

export const RefreshStatus = Schema.Struct({
  status: Schema.Literals(["idle", "running", "completed", "failed"]),
  started_at: Schema.NullOr(Time.DateTime),
  finished_at: Schema.NullOr(Time.DateTime),
  error: Schema.NullOr(Schema.String)
}).annotate({ identifier: "MetricsRefreshStatus" })
export type RefreshStatus = typeof RefreshStatus.Type
