// Experiments: a component answers all items of a version of a dataset, and scorers rate the answers.
import { ComponentKind, idsOf } from "@svc-runtime/domain/ComponentKind"
import { Name, UserId } from "@svc-runtime/domain/Ids"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as AnyScorer from "@svc-runtime/domain/scoring/AnyScorer"
import * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import { storableText } from "@svc-runtime/domain/storableText"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import { DateTime, EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { Effect, Equal, Schema } from "effect"
import * as Dataset from "./Dataset.ts"
import { hasEnded, Status } from "./EvalRun.ts"

export { hasEnded }

export const Id = Schema.String.pipe(Schema.brand("ExperimentId"))
export type Id = typeof Id.Type

const Concurrency = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))

/** A page of experiments has at most 100 of them, and has to fit into a response. */
const scorerBytes = 256 * 1024

/** The limit of scorers in an experiment. */
export const maxScorers = 20

const Scorers = Schema.Array(AnyScorer.Input).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(maxScorers),
  Schema.makeFilter<ReadonlyArray<AnyScorer.AnyScorer>>(
    (scorers) => TextBytes.of(JSON.stringify(scorers)) <= scorerBytes,
    { message: `Input should have at most ${scorerBytes} bytes of JSON`, problem: "too_long" }
  )
)

export const Create = Schema.Struct({
  dataset_id: Dataset.Id,
  /** The latest one when left out. */
  version: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  agent_id: optional(Schema.String),
  team_id: optional(Schema.String),
  workflow_id: optional(Schema.String),
  /** The version of a stored component, by default the current one. A registered component has any text for people. */
  component_version: optional(Schema.Union([Schema.Int, Name])),
  name: optional(Name),
  scorers: Scorers,
  /** Items at a time. */
  concurrency: optional(Concurrency)
}).annotate({ identifier: "ExperimentInput" })
export type Create = typeof Create.Type

const figure = Schema.NullOr(Schema.Finite)

/** Over all items. Figures are null where no item has one. */
export const Summary = Schema.Struct({
  passed: Schema.Natural,
  failed: Schema.Natural,
  /** Items whose run did not complete, or whose judge gave no verdict. They do not pass. */
  errors: Schema.Natural,
  pass_rate: Schema.Finite,
  /** The mean. */
  score: figure,
  /** The mean of each scorer. */
  scores: Schema.Record(Schema.String, figure),
  /** Seconds. */
  duration_p50: figure,
  duration_p95: figure,
  tokens: Schema.Finite,
  cost: figure,
  /** Tokens of runs whose cost is not known. Null if an older version stored one of the results. */
  unpriced_tokens: figure,
  judge_tokens: Schema.Finite,
  judge_cost: figure
}).annotate({ identifier: "ExperimentSummary" })
export type Summary = typeof Summary.Type

const text = Schema.NullOr(Schema.String)

const described = {
  id: Id,
  name: text,
  user_id: Schema.NullOr(UserId),
  dataset_id: Dataset.Id,
  dataset_version: Schema.Natural,
  component_version: text,
  scorers: Schema.Array(AnyScorer.AnyScorer),
  concurrency: Concurrency,
  status: Status,
  items_done: Schema.Natural,
  items_total: Schema.Natural,
  /** Why it failed. */
  error: text,
  /** When it is completed. */
  summary: Schema.NullOr(Summary)
}

/** Older versions have stored none. */
export const storedFigure = figure.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** In a database. */
export const Stored = Schema.Struct({
  ...described,
  summary: Schema.NullOr(Schema.Struct({ ...Summary.fields, unpriced_tokens: storedFigure })),
  kind: ComponentKind,
  component_id: Schema.String,
  is_isolated: Schema.Boolean,
  job_id: Schema.String,
  created_at: EpochSeconds,
  updated_at: EpochSeconds
})
export type Stored = typeof Stored.Type

export const Experiment = Schema.Struct({
  ...described,
  agent_id: text,
  team_id: text,
  workflow_id: text,
  created_at: DateTime,
  updated_at: DateTime
}).annotate({ identifier: "Experiment" })
export type Experiment = typeof Experiment.Type

export const toExperiment = (
  { component_id, created_at, is_isolated: _, job_id: __, kind, updated_at, ...shown }: Stored
): Experiment => ({
  ...shown,
  ...idsOf(kind, component_id),
  created_at: toDateTime(created_at),
  updated_at: toDateTime(updated_at)
})

export const ItemStatus = Schema.Literals(["passed", "failed", "error"])
export type ItemStatus = typeof ItemStatus.Type

const Score = Schema.Struct({
  scorer: Schema.String,
  score: figure,
  passed: Schema.Boolean,
  reason: text
})

/** The fields of an item that a list of figures needs. */
export const Figures = Schema.Struct({
  status: ItemStatus,
  /** The mean of its scores. Null if it has none. */
  score: figure,
  scores: Schema.Array(Schema.Struct({ scorer: Schema.String, score: figure })),
  duration: figure,
  tokens: Schema.Finite,
  cost: figure,
  unpriced_tokens: figure,
  judge_tokens: Schema.Finite,
  judge_cost: figure
})
export type Figures = typeof Figures.Type

/** Characters of an item's input that are stored with its result. */
const inputLength = 500

/** An item in the words of its input. */
export const beginningOf = (input: string): string => storableText(input.slice(0, inputLength))

export const Item = Schema.Struct({
  ...Figures.fields,
  scores: Schema.Array(Score),
  item_id: Dataset.ItemId,
  /** Its beginning. Null for results that older versions stored. */
  input: text,
  run_id: text,
  session_id: text,
  /** Its beginning. */
  output: text,
  error: text
}).annotate({ identifier: "ExperimentItem" })
export type Item = typeof Item.Type

/** Whether its judge gave no verdict. An item whose run failed has no scores. */
export const isUnjudged = ({ scores, status }: Pick<Item, "scores" | "status">): boolean =>
  status === "error" && scores.length > 0

const Compared = Schema.NullOr(Schema.Struct({ status: ItemStatus, score: figure }))

export const Difference = Schema.Struct({
  item_id: Dataset.ItemId,
  /** Its beginning. */
  input: text,
  /** Null if the experiment has no result of the item. */
  base: Compared,
  other: Compared,
  /** The change of the score. */
  change: figure,
  /** It passed before and does not now, or its score is lower, and both results can be compared. */
  is_regression: Schema.Boolean,
  /** Its input or what is expected of it is another one in the other version of the dataset. */
  is_item_changed: Schema.Boolean,
  /** The judge of one of the results gave no verdict. */
  is_unjudged: Schema.Boolean
}).annotate({ identifier: "ExperimentDifference" })
export type Difference = typeof Difference.Type

const byName = ({ scorers }: Pick<Stored, "scorers">): ReadonlyMap<string, AnyScorer.AnyScorer> =>
  new Map(scorers.map((scorer) => [Scorer.nameOf(scorer), AnyScorer.withDefaults(scorer)]))

/**
 * Whether the answers were not rated alike. The order of the scorers does not matter. Another threshold alone is a
 * difference: it decides which items pass.
 */
export const hasDifferentScorers = (one: Pick<Stored, "scorers">, other: Pick<Stored, "scorers">): boolean =>
  !Equal.equals(byName(one), byName(other))

/** Counts of items. */
export const ComparisonCounts = Schema.Struct({
  regressions: Schema.Natural,
  improvements: Schema.Natural,
  unchanged: Schema.Natural,
  /** Items whose results cannot be compared, because the versions of the dataset differ in them. */
  changed_items: Schema.Natural,
  /** Items without a verdict of the judge in one of the experiments. */
  unjudged: Schema.Natural,
  /** Counts of items that only one of the experiments has. */
  only_base: Schema.Natural,
  only_other: Schema.Natural
})
export type ComparisonCounts = typeof ComparisonCounts.Type

export const difference = (
  { is_item_changed, is_unjudged, ...item }: Omit<Difference, "change" | "is_regression">
): Difference => {
  const { base, other } = item
  const change = base === null || other === null || base.score === null || other.score === null
    ? null
    : other.score - base.score
  const isWorse = base?.status === "passed" && other !== null && other.status !== "passed"
  const is_regression = !is_item_changed && !is_unjudged && (isWorse || (change !== null && change < 0))
  return { ...item, change, is_regression, is_item_changed, is_unjudged }
}
