// The file of `svc eval run`: a component, items, scorers and thresholds. Unknown keys are refused, because a
// misspelled threshold would pass everything.
import { Name } from "@svc-runtime/domain/Ids"
import * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import * as ToolTrajectory from "@svc-runtime/domain/scoring/ToolTrajectory"
import { Effect, Schema } from "effect"
import type { Component } from "../calls/ComponentRuns.ts"
import * as EvaluationSource from "./EvaluationSource.ts"
import { Judge } from "./Judge.ts"
import * as ShownText from "./ShownText.ts"

const maxRuns = 10_000
const maxScorers = 20

const optional = Schema.optionalKey

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const ItemScorer = Schema.Union([...Scorer.Scorer.members, Judge])
export type ItemScorer = typeof ItemScorer.Type

const Item = Schema.Struct({
  name: optional(Name),
  /** Text, or the value of an input schema. */
  input: Schema.Json,
  expected_output: optional(Schema.Json),
  expected_tool_calls: optional(Schema.Array(ToolTrajectory.Expected).check(Schema.isMaxLength(100))),
  /** Added to the scorers of the file. */
  scorers: optional(Schema.Array(ItemScorer))
})

const EvaluationFile = Schema.Struct({
  name: optional(Name),
  agent_id: optional(Schema.NonEmptyString),
  team_id: optional(Schema.NonEmptyString),
  workflow_id: optional(Schema.NonEmptyString),
  items: Schema.Array(Item).check(Schema.isMinLength(1), Schema.isMaxLength(maxRuns)),
  scorers: optional(Schema.Array(ItemScorer)),
  thresholds: optional(Schema.Struct({
    pass_rate: optional(Scorer.Share),
    /** The lowest mean by the name of a scorer. */
    scores: optional(Schema.Record(Schema.String, Scorer.Share))
  })),
  iterations: optional(between(1, 100)),
  concurrency: optional(between(1, 64)),
  /** Seconds of one run. */
  timeout: optional(between(1, 3600))
})
type EvaluationFile = typeof EvaluationFile.Type

export interface Item extends Scorer.Expectation {
  readonly name: string
  readonly message: string
  readonly scorers: ReadonlyArray<ItemScorer>
}

/** The lowest value that passes. */
export interface Thresholds {
  readonly passRate: number
  readonly scores: Readonly<Record<string, number>>
}

export interface Evaluation {
  readonly name: string
  readonly component: Component
  readonly items: ReadonlyArray<Item>
  readonly thresholds: Thresholds
  readonly iterations: number
  readonly concurrency: number
  /** Seconds. */
  readonly timeout: number
  /** Characters of an answer or a reason in the report. */
  readonly textLength: number
}

const decodeFile = Schema.decodeUnknownEffect(EvaluationFile)

const isName = Schema.is(Name)

const componentOf = ({ agent_id, team_id, workflow_id }: EvaluationFile): Component | undefined => {
  const given: ReadonlyArray<Component> = [
    ...(agent_id === undefined ? [] : [{ kind: "agent" as const, id: agent_id }]),
    ...(team_id === undefined ? [] : [{ kind: "team" as const, id: team_id }]),
    ...(workflow_id === undefined ? [] : [{ kind: "workflow" as const, id: workflow_id }])
  ]
  return given.length === 1 ? given[0] : undefined
}

const repeated = (names: ReadonlyArray<string>): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index)

/** The field that the scorer needs and the item lacks. */
const missing = (scorer: ItemScorer, expectation: Scorer.Expectation): keyof Scorer.Expectation | undefined => {
  if (scorer.type !== "judge") return Scorer.missing(scorer, expectation)
  return scorer.criteria === undefined && expectation.expected_output === undefined ? "expected_output" : undefined
}

/** The problems of an item and its scorers. */
const problemOf = ({ name, scorers, ...expectation }: Item): string | undefined => {
  if (scorers.length === 0) return `item '${name}' has no scorers`
  if (scorers.length > maxScorers) return `item '${name}' has more than ${maxScorers} scorers`
  const twice = repeated(scorers.map(Scorer.nameOf))
  if (twice !== undefined) return `item '${name}' has two scorers named '${twice}': set their name`
  return scorers.flatMap((scorer) => {
    const absent = missing(scorer, expectation)
    return absent === undefined
      ? []
      : [`item '${name}' has no ${absent}, which scorer '${Scorer.nameOf(scorer)}' needs`]
  })[0]
}

const problemsOf = (items: ReadonlyArray<Item>, { scores }: Thresholds): string | undefined => {
  const known = new Set(items.flatMap(({ scorers }) => scorers.map(Scorer.nameOf)))
  const unknown = Object.keys(scores).find((name) => !known.has(name))
  if (unknown !== undefined) return `thresholds.scores has '${unknown}', and no scorer has this name`
  const names = new Set<string>()
  for (const item of items) {
    if (names.has(item.name)) return `two items are named '${item.name}'`
    names.add(item.name)
    const problem = problemOf(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

const itemOf = ({ scorers: shared = [] }: EvaluationFile, item: typeof Item.Type, index: number): Item => ({
  name: item.name ?? `item ${index + 1}`,
  message: typeof item.input === "string" ? item.input : JSON.stringify(item.input),
  expected_output: item.expected_output,
  expected_tool_calls: item.expected_tool_calls,
  scorers: [...shared, ...(item.scorers ?? [])]
})

const idsIn = ({ agent_id, team_id, workflow_id }: Record<string, unknown>): ReadonlyArray<unknown> =>
  [agent_id, team_id, workflow_id].filter((id) => id !== undefined)

/** The name in the results, also of a file with other problems. */
export const nameIn = ({ file, value }: EvaluationSource.Source): string => {
  if (typeof value !== "object" || value === null) return file
  const fields: Record<string, unknown> = { ...value }
  const ids = idsIn(fields)
  const name = fields["name"] ?? (ids.length === 1 ? ids[0] : undefined)
  return isName(name) ? name : file
}

export const decode = Effect.fn("EvaluationFile.decode")(function*(source: EvaluationSource.Source) {
  const { file, value } = source
  const decoded = yield* Effect.mapError(
    decodeFile(value, { onExcessProperty: "error", errors: "all" }),
    (error) => EvaluationSource.invalid(file, EvaluationSource.problemsOf(source, error))
  )
  const component = componentOf(decoded)
  if (component === undefined) {
    return yield* EvaluationSource.invalid(file, "set exactly one of agent_id, team_id and workflow_id")
  }
  const items = decoded.items.map((item, index) => itemOf(decoded, item, index))
  const { pass_rate = 1, scores = {} } = decoded.thresholds ?? {}
  const thresholds: Thresholds = { passRate: pass_rate, scores }
  const { iterations = 1 } = decoded
  const runs = items.length * iterations
  const problem = runs > maxRuns
    ? `it has ${runs} runs (items × iterations), and at most ${maxRuns} are possible`
    : problemsOf(items, thresholds)
  if (problem !== undefined) return yield* EvaluationSource.invalid(file, problem)
  const evaluation: Evaluation = {
    name: decoded.name ?? component.id,
    component,
    items,
    thresholds,
    iterations,
    concurrency: decoded.concurrency ?? 4,
    timeout: decoded.timeout ?? 300,
    textLength: ShownText.lengthAmong(iterations * items.reduce((texts, { scorers }) => texts + 1 + scorers.length, 0))
  }
  return evaluation
})
