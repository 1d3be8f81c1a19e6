// Metrics with labels. The number of their series is limited, however many values the labels could have.
import { Context, Metric } from "effect"

/** Keeps so many pairs at most, and says of each whether it was kept before. */
const keeping = (limit: number) => {
  const known = new Map<string, Set<string>>()
  let count = 0
  return (first: string, second: string): "known" | "new" | "full" => {
    const seconds = known.get(first)
    if (seconds?.has(second) === true) return "known"
    if (count >= limit) return "full"
    count++
    if (seconds === undefined) known.set(first, new Set([second]))
    else seconds.add(second)
    return "new"
  }
}

/** Limits the series of labels whose values are not known at the start. True: the values may have a series. */
export const bounded = (limit: number): (first: string, second?: string) => boolean => {
  const keep = keeping(limit)
  return (first, second = "") => keep(first, second) !== "full"
}

/** Whether two values come for the first time, for so many of them at most. */
export const firstTimes = (limit: number): (first: string, second: string) => boolean => {
  const keep = keeping(limit)
  return (first, second) => keep(first, second) === "new"
}

export const other = "other"

/** Seconds. */
const usual = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** The buckets of times that can last for hours. */
export const long: ReadonlyArray<number> = [...usual, 600, 1800, 3600, 7200]

/** The buckets of delays that are usually short. */
export const delays: ReadonlyArray<number> = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

type Labels = Readonly<Record<string, string>>

export interface Registry {
  readonly metrics: Metric.MetricRegistry
  readonly context: Context.Context<never>
}

export const registry = (): Registry => {
  const metrics: Metric.MetricRegistry = new Map()
  return { metrics, context: Context.make(Metric.MetricRegistry, metrics) }
}

type Series = Metric.Metric<number, unknown>

/** The series of a label: by its values, those of the next label. A joined key would cost more than the update. */
interface Level {
  readonly next: Map<string, Level>
  series: Series | undefined
}

const level = (): Level => ({ next: new Map(), series: undefined })

/** One series for each combination of values, made at its first value. */
const family = <const Names extends ReadonlyArray<string>>(
  { context }: Registry,
  names: Names,
  make: (attributes: Labels) => Series
) => {
  const all = level()
  return (values: { readonly [Index in keyof Names]: string }, value: number): void => {
    // a sum with it would not be a number any more
    if (!Number.isFinite(value)) return
    let found = all
    for (const label of values) {
      let next = found.next.get(label)
      if (next === undefined) {
        next = level()
        found.next.set(label, next)
      }
      found = next
    }
    found.series ??= make(Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""])))
    found.series.updateUnsafe(Math.max(0, value), context)
  }
}

export const counter = <const Names extends ReadonlyArray<string>>(
  registry: Registry,
  name: string,
  description: string,
  names: Names
) => family(registry, names, (attributes) => Metric.counter(name, { description, attributes, incremental: true }))

/** A histogram of seconds. */
export const histogram = <const Names extends ReadonlyArray<string>>(
  registry: Registry,
  name: string,
  description: string,
  names: Names,
  boundaries: ReadonlyArray<number> = usual
) => family(registry, names, (attributes) => Metric.histogram(name, { description, attributes, boundaries }))

const unchanged = { update: () => undefined, modify: () => undefined }

/** A counter that is read with the metrics. */
export const readCounter = (
  { context }: Registry,
  name: string,
  description: string,
  read: () => number,
  attributes: Labels = {}
): void => {
  Metric.registerUnsafe(Metric.counter(name, { description, attributes, incremental: true }), context, {
    get: () => ({ count: read(), incremental: true }),
    ...unchanged
  })
}

/** Gauges that are read with the metrics. The values of several readers are added up. */
export const gauges = ({ context }: Registry) => {
  const readers = new Map<string, Set<() => number>>()
  return (name: string, description: string, read: () => number, attributes: Labels = {}): () => void => {
    const key = JSON.stringify([name, attributes])
    const known = readers.get(key)
    const all = known ?? new Set<() => number>()
    all.add(read)
    if (known === undefined) {
      readers.set(key, all)
      Metric.registerUnsafe(Metric.gauge(name, { description, attributes }), context, {
        get: () => ({ value: [...all].reduce((sum, each) => sum + each(), 0) }),
        ...unchanged
      })
    }
    return () => void all.delete(read)
  }
}
