// When the guard of a rollout takes the share of a version.
import * as Rollout from "./Rollout.ts"
import * as VersionFigures from "./VersionFigures.ts"

export interface Measured {
  readonly figures: VersionFigures.Figures
  readonly scores: ReadonlyArray<VersionFigures.Scores>
}

interface Value {
  readonly value: number
  /** The runs in which it is known. */
  readonly count: number
}

interface Values {
  readonly errorRate: Value | undefined
  readonly p95: Value | undefined
  readonly cost: Value | undefined
  readonly score: Value | undefined
}

const known = (value: number | null, count: number): Value | undefined => value === null ? undefined : { value, count }

const scoreOf = (scores: Measured["scores"], key: string | null | undefined): Value | undefined => {
  const wanted = scores.filter((each) => key === undefined || key === null || each.key === key)
  const counted = wanted.flatMap(({ count, mean, runs }) => mean === null ? [] : [{ count, runs, sum: mean * count }])
  const count = counted.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return undefined
  // one run can have many scores, under many keys
  const runs = Math.max(...counted.map((each) => each.runs))
  return { value: counted.reduce((sum, each) => sum + each.sum, 0) / count, count: runs }
}

const valuesOf = ({ figures, scores }: Measured, guard: Rollout.Guard): Values => ({
  errorRate: known(VersionFigures.errorRateOf(figures), figures.completed + figures.failed),
  p95: known(VersionFigures.secondsOf(figures.p95), figures.timed),
  cost: known(VersionFigures.costOf(figures), figures.priced),
  score: scoreOf(scores, guard.score_key)
})

const shown = (value: number): string => String(Number(value.toPrecision(4)))

interface Limit {
  readonly name: keyof Values
  readonly label: string
  readonly unit: string
  readonly isMinimum: boolean
  readonly absolute: number | null | undefined
  /** What the current version may have at most, or has to have at least. */
  readonly ofBase: ((value: number) => number) | undefined
}

const times = (factor: number | null | undefined) =>
  factor === null || factor === undefined ? undefined : (value: number) => value < 0 ? value / factor : value * factor

const plus = (more: number | null | undefined) =>
  more === null || more === undefined ? undefined : (value: number) => value + more

const limitsOf = (guard: Rollout.Guard): ReadonlyArray<Limit> => [
  {
    name: "errorRate",
    label: "error rate",
    unit: "",
    isMinimum: false,
    absolute: guard.max_error_rate,
    ofBase: plus(guard.max_error_rate_increase)
  },
  {
    name: "p95",
    label: "95th percentile of the durations",
    unit: " seconds",
    isMinimum: false,
    absolute: guard.max_p95_seconds,
    ofBase: times(guard.max_p95_ratio)
  },
  {
    name: "cost",
    label: "cost of a run",
    unit: " US dollars",
    isMinimum: false,
    absolute: guard.max_cost,
    ofBase: times(guard.max_cost_ratio)
  },
  {
    name: "score",
    label: "mean score",
    unit: "",
    isMinimum: true,
    absolute: guard.min_score,
    ofBase: times(guard.min_score_ratio)
  }
]

/** Whether any of its limits is about scores. */
export const needsScores = (guard: Rollout.Guard): boolean =>
  limitsOf(guard).some(({ absolute, name, ofBase }) =>
    name === "score" && ((absolute ?? undefined) !== undefined || ofBase !== undefined)
  )

/** Why the version loses its share, as a sentence. Undefined: it keeps it. */
export const breachOf = (guard: Rollout.Guard, version: Measured, base: Measured): string | undefined => {
  const minRuns = guard.min_runs ?? Rollout.minRuns
  const [own, others] = [valuesOf(version, guard), valuesOf(base, guard)]
  for (const { absolute, isMinimum, label, name, ofBase, unit } of limitsOf(guard)) {
    const [measured, reference] = [own[name], others[name]]
    if (measured === undefined || measured.count < minRuns) continue
    const compared = reference === undefined || reference.count < minRuns ? undefined : ofBase?.(reference.value)
    const limits = [
      ...(absolute === null || absolute === undefined ? [] : [{ limit: absolute, of: "" }]),
      ...(compared === undefined ? [] : [{ limit: compared, of: ` compared with version ${base.figures.version}` }])
    ]
    const broken = limits.find(({ limit }) => isMinimum ? measured.value < limit : measured.value > limit)
    if (broken === undefined) continue
    return `The ${label} of version ${version.figures.version} is ${shown(measured.value)}${unit} in ` +
      `${measured.count} runs, and has to be ` +
      `${shown(broken.limit)} at ${isMinimum ? "least" : "most"}${broken.of}`
  }
  return undefined
}
