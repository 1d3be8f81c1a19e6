// The figures of hours or days, and their sums.
import type { UsageFigures } from "@svc-runtime/client"
import { svc } from "../service/Service.ts"

export type Interval = "hour" | "day"

/** Hours or days in a row, from the oldest to the present one. */
export interface Period {
  readonly interval: Interval
  /** When each begins: epoch milliseconds, in UTC as the figures. */
  readonly starts: ReadonlyArray<number>
}

const millisOf: Readonly<Record<Interval, number>> = { hour: 3_600_000, day: 86_400_000 }

/** Those without runs are in it too, so that they are shown. */
export const lastPeriod = (interval: Interval, count: number, now: number): Period => {
  const length = millisOf[interval]
  const last = Math.floor(now / length) * length
  return { interval, starts: Array.from({ length: count }, (_, index) => last - (count - 1 - index) * length) }
}

/** As long as this one, right before it. */
export const before = ({ interval, starts }: Period): Period => ({
  interval,
  starts: starts.map((start) => start - starts.length * millisOf[interval])
})

export type Group = "component" | "model" | "user"

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** All pages of the figures of a period. */
export const usageOf = async (
  { interval, starts }: Period,
  group: Group | undefined,
  signal: AbortSignal
): Promise<ReadonlyArray<UsageFigures>> => {
  const client = svc()
  const [first = 0, last = 0] = [starts[0], starts.at(-1)]
  const query = {
    interval,
    starting_date: dateOf(first),
    ending_date: dateOf(last),
    group_by: group,
    limit: 1000
  }
  const figures: Array<UsageFigures> = []
  for await (const each of client.all(client.metrics.usage, query, { signal })) {
    const time = Date.parse(each.time)
    // the dates are whole days
    if (time >= first && time <= last) figures.push(each)
  }
  return figures
}

/** A kind or a provider is named too, since different ones have the same ids. */
const nameOf = (
  { component_id, component_type, model_id, model_provider, user_id }: UsageFigures,
  group: Group
): string => {
  const joined = (parts: ReadonlyArray<string | null | undefined>, by: string) =>
    parts.filter((part) => part !== null && part !== undefined).join(by)
  const name = {
    component: joined([component_type, component_id], " "),
    model: joined([model_provider, model_id], ":"),
    user: user_id ?? ""
  }[group]
  return name === "" ? "none" : name
}

export interface Sum {
  readonly runs: number
  readonly failed: number
  readonly input: number
  /** Of the input. */
  readonly cached: number
  readonly output: number
  readonly tokens: number
  /** Null: not known. */
  readonly cost: number | null
}

const nothing: Sum = { runs: 0, failed: 0, input: 0, cached: 0, output: 0, tokens: 0, cost: null }

const added = (sum: Sum, { cost, runs, tokens }: UsageFigures): Sum => ({
  runs: sum.runs + runs.total,
  failed: sum.failed + runs.failed,
  input: sum.input + tokens.input_tokens,
  cached: sum.cached + tokens.cache_read_tokens,
  output: sum.output + tokens.output_tokens,
  tokens: sum.tokens + tokens.total_tokens,
  cost: cost === null ? sum.cost : (sum.cost ?? 0) + cost
})

export const totalOf = (figures: ReadonlyArray<UsageFigures>): Sum => figures.reduce(added, nothing)

export interface NamedSum extends Sum {
  readonly name: string
}

/** The most tokens first. */
export const sums = (figures: ReadonlyArray<UsageFigures>, group: Group): ReadonlyArray<NamedSum> => {
  const found = new Map<string, Sum>()
  for (const each of figures) {
    const name = nameOf(each, group)
    found.set(name, added(found.get(name) ?? nothing, each))
  }
  return [...found].map(([name, sum]) => ({ name, ...sum }))
    .toSorted((a, b) => b.tokens - a.tokens || b.runs - a.runs)
}
