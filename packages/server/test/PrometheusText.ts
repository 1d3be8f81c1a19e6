// Reads the text format of Prometheus, and throws where a line breaks its rules.

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (_, char: string) => char === "n" ? "\n" : char)

const labelsOf = (text: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < text.length) {
    const at = label.lastIndex
    const found = label.exec(text)
    if (found === null) throw new Error(`No label at ${at} of ${text}`)
    const [, name = "", value = ""] = found
    if (name in labels) throw new Error(`The label ${name} is there twice: ${text}`)
    labels[name] = unescaped(value)
  }
  return labels
}

const numberOf = (text: string): number => {
  const value = text === "+Inf" ? Infinity : Number(text)
  if (Number.isNaN(value)) throw new Error(`${text} is no number`)
  return value
}

const keyOf = (name: string, labels: Readonly<Record<string, string>>) =>
  JSON.stringify([name, Object.entries(labels).sort()])

const suffixes = /_(bucket|sum|count)$/

/** The buckets of a histogram rise, and the last one counts everything. */
const checkHistogram = (name: string, samples: ReadonlyArray<Sample>): void => {
  const series = new Map<string, Array<Sample>>()
  for (const sample of samples) {
    if (sample.name !== `${name}_bucket`) continue
    const { le: _, ...labels } = sample.labels
    const key = keyOf("", labels)
    series.set(key, [...(series.get(key) ?? []), sample])
  }
  for (const buckets of series.values()) {
    const { le: _, ...labels } = buckets[0]!.labels
    const count = samples.find((sample) => keyOf(sample.name, sample.labels) === keyOf(`${name}_count`, labels))
    if (buckets.at(-1)!.labels["le"] !== "+Inf" || buckets.at(-1)!.value !== count?.value) {
      throw new Error(`The last bucket of ${name} does not count everything`)
    }
    buckets.reduce((before, bucket) => {
      if (numberOf(bucket.labels["le"]!) <= numberOf(before.labels["le"]!) || bucket.value < before.value) {
        throw new Error(`The buckets of ${name} do not rise`)
      }
      return bucket
    })
  }
}

export const parse = (text: string) => {
  if (!text.endsWith("\n")) throw new Error("The last line does not end")
  const families = new Map<string, string>()
  const samples: Array<Sample> = []
  const values = new Map<string, number>()
  for (const line of text.slice(0, -1).split("\n")) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line)
    if (type !== null) {
      if (families.has(type[1]!)) throw new Error(`${type[1]} has two types`)
      families.set(type[1]!, type[2]!)
      continue
    }
    if (line.startsWith("# HELP ")) continue
    const [, name, labels = "", value] = sampleLine.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`No sample: ${line}`)
    const family = families.get(name) === undefined ? name.replace(suffixes, "") : name
    if (family !== [...families.keys()].at(-1)) throw new Error(`${name} is not in the group of its family`)
    const sample = { name, labels: labelsOf(labels), value: numberOf(value) }
    const key = keyOf(name, sample.labels)
    if (values.has(key)) throw new Error(`A series is there twice: ${line}`)
    values.set(key, sample.value)
    samples.push(sample)
  }
  for (const [name, type] of families) if (type === "histogram") checkHistogram(name, samples)
  return {
    families,
    samples,
    value: (name: string, labels: Readonly<Record<string, string>>) => values.get(keyOf(name, labels))
  }
}
