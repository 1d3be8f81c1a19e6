// What the runs of each version of a component were like.
import { optional } from "@svc-runtime/domain/schema/optional"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

const count = Schema.Natural

/** Runs that ended, of one version. */
export const Figures = Schema.Struct({
  version: Schema.Int,
  completed: count,
  failed: count,
  cancelled: count,
  /** Runs whose duration is known, without cancelled ones. */
  timed: count,
  /** Milliseconds. */
  p50: Schema.NullOr(Schema.Finite),
  p95: Schema.NullOr(Schema.Finite),
  input_tokens: Schema.Finite,
  output_tokens: Schema.Finite,
  total_tokens: Schema.Finite,
  /** Runs whose cost is known. */
  priced: count,
  cost: Schema.Finite
})
export type Figures = typeof Figures.Type

/** Scores of one key and source, that users or scorers gave runs of a version. Labels have no mean. */
export const Scores = Schema.Struct({
  version: Schema.Int,
  key: Schema.String,
  source: Schema.Literals(["user", "scorer"]),
  count,
  /** The runs that have them. */
  runs: count,
  mean: Schema.NullOr(Schema.Finite)
})
export type Scores = typeof Scores.Type

const number = Schema.NullOr(Schema.Finite)

export const Compared = Schema.Struct({
  version: Schema.Int,
  /** Whether it is the current version. */
  is_current: Schema.Boolean,
  /** Percent of the rollout. Null: it is in none. */
  share: number,
  runs: Schema.Struct({ total: count, completed: count, failed: count, cancelled: count }),
  error_rate: number,
  /** Seconds. */
  duration: Schema.Struct({ p50: number, p95: number }).annotate({ identifier: "VersionDurations" }),
  tokens: Schema.Struct({ input_tokens: Schema.Finite, output_tokens: Schema.Finite, total_tokens: Schema.Finite }),
  /** In US dollars, of the runs whose cost is known. Null: of none. */
  cost: number,
  cost_per_run: number,
  scores: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      source: Scores.fields.source,
      count,
      mean: number
    }).annotate({ identifier: "VersionScore" })
  )
}).annotate({ identifier: "ComparedVersion" })
export type Compared = typeof Compared.Type

export const Comparison = Schema.Struct({
  since: EpochSeconds,
  until: EpochSeconds,
  /** False: there were more runs, and the older ones are left out. */
  is_complete: Schema.Boolean,
  versions: Schema.Array(Compared)
}).annotate({ identifier: "VersionComparison" })
export type Comparison = typeof Comparison.Type

export const Query = { since: optional(Schema.String), until: optional(Schema.String) }

export const errorRateOf = ({ completed, failed }: Figures): number | null =>
  completed + failed === 0 ? null : failed / (completed + failed)

export const costOf = ({ cost, priced }: Figures): number | null => priced === 0 ? null : cost / priced

export const secondsOf = (millis: number | null): number | null => millis === null ? null : millis / 1000

const none: Omit<Figures, "version"> = {
  completed: 0,
  failed: 0,
  cancelled: 0,
  timed: 0,
  p50: null,
  p95: null,
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  priced: 0,
  cost: 0
}

export const empty = (version: number): Figures => ({ version, ...none })

const rounded = (value: number | null): number | null => value === null ? null : Number(value.toPrecision(12))

export const compared = (
  figures: Figures,
  scores: ReadonlyArray<Scores>,
  { current, share }: { readonly current: number | null; readonly share: number | undefined }
): Compared => {
  const { cancelled, completed, failed, input_tokens, output_tokens, p50, p95, total_tokens, version } = figures
  return {
    version,
    is_current: version === current,
    share: share ?? null,
    runs: { total: completed + failed + cancelled, completed, failed, cancelled },
    error_rate: rounded(errorRateOf(figures)),
    duration: { p50: secondsOf(p50), p95: secondsOf(p95) },
    tokens: { input_tokens, output_tokens, total_tokens },
    cost: figures.priced === 0 ? null : rounded(figures.cost),
    cost_per_run: rounded(costOf(figures)),
    scores: scores.filter((each) => each.version === version).map(({ runs: _, version: __, ...score }) => score)
  }
}
