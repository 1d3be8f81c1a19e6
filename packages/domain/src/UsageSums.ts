// Adds usage up to one row for each hour, component, user and model. Thousands of ended runs are added at a time, so
// rows are changed in place.
import { Predicate } from "effect"
import type * as Usage from "./Usage.ts"
import * as UsageHour from "./UsageHour.ts"

type Sums = { -readonly [Name in keyof typeof UsageHour.sums]: number }

type Key = Pick<UsageHour.UsageHour, "component_id" | "hour" | "kind" | "model_id" | "model_provider" | "user_id">

interface Row extends Key, Sums {
  readonly durations: Array<number>
  readonly first_tokens: Array<number>
}

type StoredUsage = Readonly<Record<string, unknown>>

const sumNames = Object.keys(UsageHour.sums) as ReadonlyArray<keyof Sums>

const noSums = Object.fromEntries(sumNames.map((name) => [name, 0])) as Sums

/** The limit of a value and of a sum. An infinite sum could not be stored, and would stop all other sums. */
const most = Number.MAX_SAFE_INTEGER

/** The number in stored JSON. Other values count as zero. */
const numberOf = (value: unknown): number => typeof value === "number" && value > 0 && value <= most ? value : 0

const addTo = (row: Row, name: keyof Sums, value: number): void => {
  row[name] = Math.min(most, row[name] + value)
}

const addUsage = (row: Row, usage: StoredUsage): void => {
  for (const name of UsageHour.tokenNames) addTo(row, name, numberOf(usage[name]))
  if (usage["cost"] === undefined) addTo(row, "unpriced_tokens", numberOf(usage["total_tokens"]))
  else addTo(row, "cost", numberOf(usage["cost"]))
}

const addAt = (counts: Array<number>, bucket: number, count: number): void => {
  while (counts.length <= bucket) counts.push(0)
  counts[bucket] = (counts[bucket] ?? 0) + count
}

const addCounts = (counts: Array<number>, others: ReadonlyArray<number>): void =>
  others.forEach((count, bucket) => addAt(counts, bucket, count))

const addTimes = (counts: Array<number>, millis: ReadonlyArray<number>): void =>
  millis.forEach((time) => addAt(counts, UsageHour.bucketOf(time), 1))

const isUsage = (value: unknown): value is StoredUsage => Predicate.isObject(value)

const isModel = (value: unknown): value is StoredUsage & { readonly id: string; readonly provider: string } =>
  isUsage(value) && Predicate.isString(value["id"]) && Predicate.isString(value["provider"])

const modelsOf = ({ details }: StoredUsage) => isUsage(details) ? Object.values(details).flat().filter(isModel) : []

/** The usage of a run without that of its models. */
const addRest = (row: Row, usage: StoredUsage, models: ReadonlyArray<StoredUsage>): void => {
  const left = (name: string): number =>
    numberOf(models.reduce((rest, model) => rest - numberOf(model[name]), numberOf(usage[name])))
  const [total_tokens, cost] = [left("total_tokens"), left("cost")]
  if (total_tokens === 0 && cost === 0) return
  const tokens = Object.fromEntries(UsageHour.tokenNames.map((name) => [name, left(name)]))
  const isFree = usage["cost"] === 0 && models.every((model) => model["cost"] === undefined)
  addUsage(row, cost === 0 && !isFree ? tokens : { ...tokens, cost })
}

const keyOf = ({ component_id, hour, kind, model_id, model_provider, user_id }: Key): string =>
  `${hour}\0${kind}\0${component_id}\0${user_id}\0${model_id}\0${model_provider}`

export interface UsageSums {
  readonly add: (hour: UsageHour.UsageHour) => void
  /** Times and ends count for the model of the run, tokens for each model that it has used. */
  readonly addEnded: (ended: UsageHour.EndedRuns) => void
  /** In the order of their keys. */
  readonly rows: () => ReadonlyArray<UsageHour.UsageHour>
}

export const make = (): UsageSums => {
  const rows = new Map<string, Row>()

  const rowOf = (place: Key): Row => {
    const key = keyOf(place)
    const known = rows.get(key)
    if (known !== undefined) return known
    const { component_id, hour, kind, model_id, model_provider, user_id } = place
    const ids = { hour, kind, component_id, user_id, model_id, model_provider }
    const row: Row = { ...ids, ...noSums, durations: [], first_tokens: [] }
    rows.set(key, row)
    return row
  }

  return {
    add: (hour) => {
      const row = rowOf(hour)
      for (const name of sumNames) addTo(row, name, hour[name])
      addCounts(row.durations, hour.durations)
      addCounts(row.first_tokens, hour.first_tokens)
    },
    addEnded: (ended) => {
      const { durations, first_tokens, runs, status, usages } = ended
      const row = rowOf(ended)
      if (status === "COMPLETED") row.completed += runs
      if (status === "ERROR") row.failed += runs
      if (status === "CANCELLED") row.cancelled += runs
      addTimes(row.durations, durations)
      addTimes(row.first_tokens, first_tokens)
      for (const usage of usages.filter(isUsage)) {
        const models = modelsOf(usage)
        for (const model of models) {
          addUsage(rowOf({ ...ended, model_id: model.id, model_provider: model.provider }), model)
        }
        addRest(row, usage, models)
      }
    },
    rows: () => [...rows].sort(([one], [other]) => one < other ? -1 : 1).map(([, row]) => row)
  }
}

const someRun = {
  hour: 0,
  kind: "agent",
  component_id: "",
  user_id: "",
  model_id: "",
  model_provider: "",
  status: "",
  runs: 0,
  durations: [],
  first_tokens: []
} as const

/** The tokens of one run that have no cost, by the rule of the hours. */
export const unpricedTokensOf = (usage: Usage.RunMetrics): number => {
  const sums = make()
  sums.addEnded({ ...someRun, usages: [usage] })
  return sums.rows().reduce((sum, { unpriced_tokens }) => sum + unpriced_tokens, 0)
}
