// Statistics of a list of numbers: null for an empty list.

/** Doubles have 15 decimal digits. */
const rounded = (value: number): number => Number(value.toPrecision(15))

/** Neumaier's: it keeps what the addition of a small and a large number loses. The sum of 0.1 and 0.2 is 0.3. */
export const sum = (values: ReadonlyArray<number>): number => {
  let [total, lost] = [0, 0]
  for (const value of values) {
    const next = total + value
    lost += Math.abs(total) >= Math.abs(value) ? (total - next) + value : (value - next) + total
    total = next
  }
  return rounded(total + lost)
}

const mean = (values: ReadonlyArray<number>): number => sum(values) / values.length

/** Of a sample; 0 for a single value. */
const deviation = (values: ReadonlyArray<number>): number => {
  if (values.length < 2) return 0
  const average = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1))
}

/** By linear interpolation between the two nearest values; the smallest and the largest are included. */
const quantile = (sorted: ReadonlyArray<number>, share: number): number => {
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below] ?? 0
  return low + ((sorted[below + 1] ?? low) - low) * (place - below)
}

export interface Statistics {
  readonly avg: number | null
  readonly min: number | null
  readonly max: number | null
  readonly std_dev: number | null
  readonly median: number | null
  readonly p95: number | null
}

export const of = (values: ReadonlyArray<number>): Statistics => {
  if (values.length === 0) return { avg: null, min: null, max: null, std_dev: null, median: null, p95: null }
  const sorted = values.toSorted((left, right) => left - right)
  return {
    avg: mean(values),
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    std_dev: deviation(values),
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95)
  }
}
