// Usage of one hour: the runs that ended in it, by component, user and model, with what they used and how long they
// took. Times are counted in buckets, so that hours can be added up.
import { Schema } from "effect"
import { ComponentKind } from "./ComponentKind.ts"
import * as Time from "./Time.ts"
import * as Usage from "./Usage.ts"

const secondsPerHour = 3600

/** Hours since the epoch. */
export const hourOf = (at: Time.EpochSeconds): number => Math.floor(at / secondsPerHour)

/** A root run that ended. */
export const EndedRun = Schema.Struct({
  ended_at: Schema.Int,
  kind: ComponentKind,
  component_id: Schema.String,
  user_id: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  model_provider: Schema.NullOr(Schema.String),
  status: Schema.String,
  /** Milliseconds. */
  duration: Schema.NullOr(Schema.Int),
  time_to_first_token: Schema.NullOr(Schema.Int),
  /** With that of its nested runs, and without what an earlier end of it has counted. */
  usage: Schema.Unknown
})
export type EndedRun = typeof EndedRun.Type

const count = Schema.Finite

const tokenNames = Object.keys(Usage.zero) as ReadonlyArray<keyof typeof Usage.zero>

export const sums = {
  completed: count,
  failed: count,
  cancelled: count,
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  audio_input_tokens: count,
  audio_output_tokens: count,
  audio_total_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
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

type Sums = { readonly [Name in keyof typeof sums]: number }

const noSums = Object.fromEntries(Object.keys(sums).map((name) => [name, 0])) as Sums

/** The upper ends of the buckets grow by half of a doubling, from a millisecond to more than an hour. */
const growth = Math.SQRT2
const buckets = 44

export const bucketOf = (millis: number): number =>
  Math.min(buckets, Math.max(0, Math.ceil(Math.log(Math.max(1, millis)) / Math.log(growth))))

const countOf = (millis: number | null): ReadonlyArray<number> =>
  millis === null ? [] : [...Array.from({ length: bucketOf(millis) }, () => 0), 1]

export const addCounts = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, index) => (one[index] ?? 0) + (other[index] ?? 0))

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

export const sumOf = (one: Sums, other: Sums): Sums =>
  Object.fromEntries(
    Object.keys(sums).map((name) => [name, one[name as keyof Sums] + other[name as keyof Sums]])
  ) as Sums

export const keyOf = ({ component_id, hour, kind, model_id, model_provider, user_id }: UsageHour): string =>
  JSON.stringify([hour, kind, component_id, user_id, model_id, model_provider])

/** One row for each key. */
export const merged = (rows: ReadonlyArray<UsageHour>): ReadonlyArray<UsageHour> => {
  const found = new Map<string, UsageHour>()
  for (const row of rows) {
    const key = keyOf(row)
    const known = found.get(key)
    found.set(
      key,
      known === undefined ? row : {
        ...known,
        ...sumOf(known, row),
        durations: addCounts(known.durations, row.durations),
        first_tokens: addCounts(known.first_tokens, row.first_tokens)
      }
    )
  }
  return [...found].sort(([one], [other]) => one < other ? -1 : 1).map(([, row]) => row)
}

const used = (usage: Usage.Counters): Partial<Sums> => ({
  ...Usage.countersOf(usage),
  ...(usage.cost === undefined ? { unpriced_tokens: usage.total_tokens ?? 0 } : {})
})

/** What `details` leaves of the usage of a run. */
const rest = (usage: Usage.Counters, models: ReadonlyArray<Usage.Counters>): Usage.Counters =>
  Object.fromEntries(
    [...tokenNames, "cost" as const].map((name) => [
      name,
      Math.max(0, (usage[name] ?? 0) - models.reduce((sum, model) => sum + (model[name] ?? 0), 0))
    ]).filter(([, value]) => value !== 0)
  )

const isUsage = Schema.is(Usage.RunMetrics)

/** The rows to which a run adds: its times and its end to that of its own model, its tokens to those of all models. */
export const rowsOf = (run: EndedRun): ReadonlyArray<UsageHour> => {
  const usage: Usage.RunMetrics = isUsage(run.usage) ? run.usage : {}
  const models = Object.values(usage.details ?? {}).flat()
  const row = {
    hour: hourOf(run.ended_at),
    kind: run.kind,
    component_id: run.component_id,
    user_id: run.user_id ?? "",
    model_id: run.model ?? "",
    model_provider: run.model_provider ?? "",
    ...noSums,
    durations: [],
    first_tokens: []
  }
  const left = rest(usage, models)
  return merged([
    {
      ...row,
      ...(left.total_tokens === undefined && left.cost === undefined ? {} : used(left)),
      completed: run.status === "COMPLETED" ? 1 : 0,
      failed: run.status === "ERROR" ? 1 : 0,
      cancelled: run.status === "CANCELLED" ? 1 : 0,
      durations: countOf(run.duration),
      first_tokens: countOf(run.time_to_first_token)
    },
    ...models.map((model) => ({ ...row, model_id: model.id, model_provider: model.provider, ...used(model) }))
  ])
}

/** What is added up to one figure. */
export const Interval = Schema.Literals(["hour", "day"])
export type Interval = typeof Interval.Type

export const Group = Schema.Literals(["component", "user", "model"])
export type Group = typeof Group.Type

/** By what the rows of an answer differ, besides their time. */
export const groupKeys = {
  component: ["kind", "component_id"],
  user: ["user_id"],
  model: ["model_id", "model_provider"]
} as const satisfies globalThis.Record<Group, ReadonlyArray<keyof typeof key>>

export const Figures = Schema.Struct({
  /** Of the first hour. */
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
  /** Failed runs among those that were not cancelled. */
  error_rate: Schema.NullOr(Schema.Finite),
  tokens: Schema.Struct(
    Object.fromEntries(tokenNames.map((name) => [name, count])) as { [K in typeof tokenNames[number]]: typeof count }
  ),
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
  const { model_id, model_provider, unpriced_tokens, user_id } = figures
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
    cost: cost === 0 && unpriced_tokens > 0 ? null : Number(cost.toFixed(12)),
    unpriced_tokens,
    duration: percentiles(durations),
    time_to_first_token: percentiles(first_tokens)
  }
}
