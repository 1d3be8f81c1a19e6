// The metrics of a node, in the text format of Prometheus.
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const line = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/

const label = /\b(\w+)="((?:[^"\\]|\\.)*)"/g

export const samplesOf = (text: string): ReadonlyArray<Sample> =>
  text.split("\n").flatMap((each) => {
    const [, name, labels = "", value] = line.exec(each) ?? []
    return name === undefined
      ? []
      : [{
        name,
        labels: Object.fromEntries([...labels.matchAll(label)].map(([, key = "", text = ""]) => [key, text])),
        value: Number(value)
      }]
  })

/** The sums over all components, models and routes, for each value of a label. */
export const sumsOf = (samples: ReadonlyArray<Sample>, wanted: string, by?: string): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { labels, name, value } of samples) {
    if (name !== wanted) continue
    const key = by === undefined ? "" : labels[by] ?? ""
    sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return sums
}

/** The value under which so large a share of the measurements is, by the buckets of a histogram: 0.95 for p95. */
export const quantileOf = (samples: ReadonlyArray<Sample>, histogram: string, share: number): number | undefined => {
  const buckets = [...sumsOf(samples, `${histogram}_bucket`, "le")]
    .map(([le, count]) => [le === "+Inf" ? Infinity : Number(le), count] as const)
    .toSorted(([one], [other]) => one - other)
  const total = buckets.at(-1)?.[1] ?? 0
  return total === 0 ? undefined : buckets.find(([, count]) => count >= share * total)?.[0]
}
