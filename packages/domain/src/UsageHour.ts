// Usage of one hour: the runs that ended in it, by component, user and model, with what they used and how long they
// took, and what background jobs used. Times are counted in buckets, so that hours can be added up.
import { Schema } from "effect"
import { ComponentKind } from "./ComponentKind.ts"
import * as Time from "./Time.ts"
import * as Usage from "./Usage.ts"

export const secondsPerHour = 3600

/** Hours since the epoch. */
export const hourOf = (at: Time.EpochSeconds): number => Math.floor(at / secondsPerHour)

/** The status of requests of background jobs. Their tokens and cost count, and no run. */
export const background = "BACKGROUND"

/** Root runs that ended in one hour, with the same component, user, model and status, or requests of their jobs. */
export const EndedRuns = Schema.Struct({
  hour: Schema.Int,
  kind: ComponentKind,
  component_id: Schema.String,
  user_id: Schema.String,
  model_id: Schema.String,
  model_provider: Schema.String,
  status: Schema.String,
  /** Or requests. */
  runs: Schema.Int,
  /** Milliseconds, of the runs whose times are known. */
  durations: Schema.Array(Schema.Finite),
  first_tokens: Schema.Array(Schema.Finite),
  /** The usage of each request, or of each run with its nested runs. Usage that was counted before is subtracted. */
  usages: Schema.Array(Schema.Unknown)
})
export type EndedRuns = typeof EndedRuns.Type

const count = Schema.Finite

export const tokenNames = Object.keys(Usage.zero) as ReadonlyArray<keyof typeof Usage.zero>

export const sums = {
  completed: count,
  failed: count,
  cancelled: count,
  ...Usage.tokens(count),
  cost: count,
  /** Tokens of models whose cost is not known. */
  unpriced_tokens: count
}

const Counts = Schema.Array(count)

export const histograms = { durations: Counts, first_tokens: Counts }

const key = {
  kind: ComponentKind,
  component_id: Schema.String,
  user_id: Schema.String,
  model_id: Schema.String,
  model_provider: Schema.String
}

/** Empty texts: no user, no model. */
export const UsageHour = Schema.Struct({ hour: Schema.Int, ...key, ...sums, ...histograms })
export type UsageHour = typeof UsageHour.Type

/** The upper ends of the buckets grow by half of a doubling, from a millisecond to three days. */
const growth = Math.SQRT2
const buckets = 56

export const bucketOf = (millis: number): number =>
  Math.min(buckets, Math.max(0, Math.ceil(Math.log(Math.max(1, millis)) / Math.log(growth))))

/** Seconds below which that part of all is, within the growth of a bucket. Null if nothing was counted. */
export const percentile = (counts: ReadonlyArray<number>, part: number): number | null => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = total * part
  for (const [bucket, count] of counts.entries()) {
    if (left <= count) {
      const low = bucket === 0 ? 0 : growth ** (bucket - 1)
      return Number(((low + (growth ** bucket - low) * (left / count)) / 1000).toPrecision(4))
    }
    left -= count
  }
  return null
}

/** The usages that are added up to one figure. */
export const Interval = Schema.Literals(["hour", "day"])
export type Interval = typeof Interval.Type

export const Group = Schema.Literals(["component", "user", "model"])
export type Group = typeof Group.Type

/** The keys of the rows of a response, besides their time. */
export const groupKeys = {
  component: ["kind", "component_id"],
  user: ["user_id"],
  model: ["model_id", "model_provider"]
} as const satisfies globalThis.Record<Group, ReadonlyArray<keyof typeof key>>

export const Figures = Schema.Struct({
  /** The first hour. */
  hour: Schema.Int,
  kind: Schema.optionalKey(ComponentKind),
  component_id: Schema.optionalKey(Schema.String),
  user_id: Schema.optionalKey(Schema.String),
  model_id: Schema.optionalKey(Schema.String),
  model_provider: Schema.optionalKey(Schema.String),
  ...sums,
  ...histograms
})
export type Figures = typeof Figures.Type

const seconds = Schema.NullOr(Schema.Finite)
const Percentiles = Schema.Struct({ p50: seconds, p95: seconds, p99: seconds }).annotate({ identifier: "Percentiles" })

export const Record = Schema.Struct({
  time: Time.DateTime,
  component_type: Schema.optionalKey(ComponentKind),
  component_id: Schema.optionalKey(Schema.String),
  user_id: Schema.optionalKey(Schema.String),
  model_id: Schema.optionalKey(Schema.String),
  model_provider: Schema.optionalKey(Schema.String),
  runs: Schema.Struct({ total: count, completed: count, failed: count, cancelled: count }),
  /** The part of the runs that failed, of the runs that were not cancelled. */
  error_rate: Schema.NullOr(Schema.Finite),
  tokens: Schema.Struct(
    Object.fromEntries(tokenNames.map((name) => [name, count])) as { [K in typeof tokenNames[number]]: typeof count }
  ),
  /** The part of the input tokens that providers read from their caches. */
  cache_hit_rate: Schema.NullOr(Schema.Finite),
  /** In US dollars. Null if the cost of no request is known. */
  cost: Schema.NullOr(Schema.Finite),
  unpriced_tokens: count,
  /** Seconds. */
  duration: Percentiles,
  time_to_first_token: Percentiles
}).annotate({ identifier: "UsageFigures" })
export type Record = typeof Record.Type

const percentiles = (counts: ReadonlyArray<number>) => ({
  p50: percentile(counts, 0.5),
  p95: percentile(counts, 0.95),
  p99: percentile(counts, 0.99)
})

export const toRecord = (figures: Figures): Record => {
  const { cancelled, completed, component_id, cost, durations, failed, first_tokens, hour, kind } = figures
  const { cache_read_tokens, input_tokens, model_id, model_provider, total_tokens, unpriced_tokens, user_id } = figures
  return {
    time: Time.toDateTime(hour * secondsPerHour),
    ...(kind === undefined ? {} : { component_type: kind }),
    ...(component_id === undefined ? {} : { component_id }),
    ...(user_id === undefined ? {} : { user_id }),
    ...(model_id === undefined ? {} : { model_id }),
    ...(model_provider === undefined ? {} : { model_provider }),
    runs: { total: completed + failed + cancelled, completed, failed, cancelled },
    error_rate: completed + failed === 0 ? null : failed / (completed + failed),
    tokens: Object.fromEntries(tokenNames.map((name) => [name, figures[name]])) as Record["tokens"],
    cache_hit_rate: input_tokens === 0 ? null : Math.min(1, cache_read_tokens / input_tokens),
    cost: cost === 0 && unpriced_tokens > 0 && unpriced_tokens >= total_tokens ? null : Number(cost.toFixed(12)),
    unpriced_tokens,
    duration: percentiles(durations),
    time_to_first_token: percentiles(first_tokens)
  }
}
