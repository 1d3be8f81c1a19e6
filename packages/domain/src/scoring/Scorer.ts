// Scorers without a model: each rates an answer from 0 to 1, always with the same result.
import { Equal, Option, Result, Schema } from "effect"
import { Name } from "../Ids.ts"
import * as Json from "../Json.ts"
import * as JsonSchemaCheck from "../schema/JsonSchemaCheck.ts"
import * as Similarity from "./Similarity.ts"
import * as ToolTrajectory from "./ToolTrajectory.ts"

export const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

export const common = {
  name: Schema.optionalKey(Name.annotate({ description: "Name of the scorer. Its type when left out" })),
  /** The lowest score that passes. */
  threshold: Schema.optionalKey(Share)
}

const ignoresCase = { ignore_case: Schema.optionalKey(Schema.Boolean) }

/** Throws for a dangling reference. */
const isCheckable = (schema: Json.Object): boolean => Result.isSuccess(Result.try(() => JsonSchemaCheck.make(schema)))

export const Scorer = Schema.Union([
  Schema.Struct({ type: Schema.Literal("exact"), ...common, ...ignoresCase }),
  Schema.Struct({
    type: Schema.Literal("contains"),
    ...common,
    ...ignoresCase,
    /** Default: the expected output. */
    texts: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMinLength(1)))
  }),
  Schema.Struct({
    type: Schema.Literal("json_schema"),
    ...common,
    schema: Json.Object.check(
      Schema.makeFilter(isCheckable, { message: "Expected a JSON Schema with references to its own definitions" })
    )
  }),
  Schema.Struct({ type: Schema.Literal("similarity"), ...common, ...ignoresCase }),
  Schema.Struct({
    type: Schema.Literal("tool_trajectory"),
    ...common,
    /** Default: `in_order`. */
    order: Schema.optionalKey(ToolTrajectory.Order)
  })
])
export type Scorer = typeof Scorer.Type

/** The expected answer and tool calls. */
export interface Expectation {
  readonly expected_output?: Json.Value | undefined
  readonly expected_tool_calls?: ReadonlyArray<ToolTrajectory.Expected> | undefined
}

export interface Answer {
  readonly output: Json.Value
  readonly toolCalls: ReadonlyArray<ToolTrajectory.Call>
}

export interface Score {
  readonly scorer: string
  /** Null if the answer cannot be rated. */
  readonly score: number | null
  readonly passed: boolean
  readonly reason: string | null
}

interface Rating {
  readonly score: number | null
  readonly reason?: string
}

export const nameOf = ({ name, type }: { readonly name?: string; readonly type: string }): string => name ?? type

/** The score from which an answer passes. A text that only has to be similar may differ in part. */
const thresholdOf = (scorer: Scorer): number => scorer.threshold ?? (scorer.type === "similarity" ? 0.8 : 1)

const defaultOrder: ToolTrajectory.Order = "in_order"

/** The scorer with its defaults written out. */
export const withDefaults = (scorer: Scorer): Scorer => {
  const filled = { name: nameOf(scorer), threshold: thresholdOf(scorer) }
  switch (scorer.type) {
    case "json_schema":
      return { ...scorer, ...filled }
    case "tool_trajectory":
      return { ...scorer, ...filled, order: scorer.order ?? defaultOrder }
    default:
      return { ...scorer, ...filled, ignore_case: scorer.ignore_case ?? false }
  }
}

/** The value that the scorer needs and that the expectation lacks. */
export const missing = (
  scorer: Scorer,
  { expected_output, expected_tool_calls }: Expectation
): keyof Expectation | undefined => {
  switch (scorer.type) {
    case "json_schema":
      return undefined
    case "tool_trajectory":
      return expected_tool_calls === undefined ? "expected_tool_calls" : undefined
    case "contains":
      return scorer.texts === undefined && expected_output === undefined ? "expected_output" : undefined
    default:
      return expected_output === undefined ? "expected_output" : undefined
  }
}

/** Models often end an answer with a line break. */
const textOf = (value: Json.Value | undefined, ignoreCase = false): string => {
  const text = (typeof value === "string" ? value : JSON.stringify(value ?? null)).trim()
  return ignoreCase ? text.toLowerCase() : text
}

/** Typed answers are values already; other answers can be the text of a value. */
const valueOf = (output: Json.Value): Option.Option<Json.Value> =>
  typeof output === "string" ? Json.parse(output) : Option.some(output)

const equality = (output: Json.Value, expected: Json.Value | undefined, ignoreCase: boolean | undefined): Rating => {
  const isEqual = typeof expected === "string"
    ? textOf(output, ignoreCase) === textOf(expected, ignoreCase)
    : Option.exists(valueOf(output), (value) => Equal.equals(value, expected))
  return isEqual ? { score: 1 } : { score: 0, reason: "The output differs from the expected output" }
}

const contains = (output: string, texts: ReadonlyArray<string>): Rating => {
  const absent = texts.filter((text) => !output.includes(text))
  const score = (texts.length - absent.length) / texts.length
  return absent.length === 0 ? { score } : { score, reason: `The output does not contain: ${absent.join(", ")}` }
}

const fitsSchema = (output: Json.Value, schema: Json.Object): Rating => {
  const value = valueOf(output)
  if (Option.isNone(value)) return { score: 0, reason: "The output is not JSON" }
  const verdict = JsonSchemaCheck.make(schema)(value.value)
  if (verdict._tag === "Exceeded") return { score: null, reason: `The check of the output exceeds ${verdict.limit}` }
  if (verdict.issues.length === 0) return { score: 1 }
  const issues = verdict.issues.map(({ message, path }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`
  )
  return { score: 0, reason: issues.join("; ") }
}

const similarity = (output: string, expected: string): Rating => {
  const score = Similarity.of(output, expected)
  return score === undefined
    ? { score: null, reason: `A text of more than ${Similarity.maxLength} characters cannot be compared` }
    : { score }
}

const argumentsOf = (expected: ToolTrajectory.Expected): Json.Object | undefined =>
  typeof expected === "string" ? undefined : expected.arguments

const trajectory = (
  { toolCalls }: Answer,
  expected: ReadonlyArray<ToolTrajectory.Expected>,
  order: ToolTrajectory.Order
): Rating => {
  const score = ToolTrajectory.compare(expected, toolCalls, order)
  if (score === 1) return { score }
  const hasArguments = expected.some((each) => argumentsOf(each) !== undefined)
  const wanted = expected.map((each) => {
    const [name, given] = [typeof each === "string" ? each : each.name, argumentsOf(each)]
    return given === undefined ? name : `${name} ${JSON.stringify(given)}`
  })
  const called = toolCalls.map(({ arguments: given, isFailed, name }) =>
    `${hasArguments ? `${name} ${JSON.stringify(given)}` : name}${isFailed ? " (failed)" : ""}`
  )
  const made = called.length === 0 ? "no tool was called" : `called ${called.join(", ")}`
  return { score, reason: `Expected ${wanted.length === 0 ? "no call" : wanted.join(", ")}; ${made}` }
}

const rate = (scorer: Scorer, answer: Answer, expectation: Expectation): Rating => {
  const { output } = answer
  const expected = expectation.expected_output
  switch (scorer.type) {
    case "exact":
      return equality(output, expected, scorer.ignore_case)
    case "contains": {
      const texts = scorer.texts ?? [textOf(expected)]
      return contains(textOf(output, scorer.ignore_case), texts.map((text) => textOf(text, scorer.ignore_case)))
    }
    case "json_schema":
      return fitsSchema(output, scorer.schema)
    case "similarity":
      return similarity(textOf(output, scorer.ignore_case), textOf(expected, scorer.ignore_case))
    case "tool_trajectory":
      return trajectory(answer, expectation.expected_tool_calls ?? [], scorer.order ?? defaultOrder)
  }
}

/** Characters of a reason. It is stored with every score, and quotes texts of scorers, answers and judges. */
const maxReasonLength = 4000

/** The beginning of a reason. */
export const cutReason = (reason: string): string =>
  reason.length <= maxReasonLength ? reason : `${reason.slice(0, maxReasonLength - 1)}…`.toWellFormed()

/** Requires that `missing` finds nothing. */
export const score = (scorer: Scorer, answer: Answer, expectation: Expectation): Score => {
  const { reason, score } = rate(scorer, answer, expectation)
  return {
    scorer: nameOf(scorer),
    score,
    passed: score !== null && score >= thresholdOf(scorer),
    reason: reason === undefined ? null : cutReason(reason)
  }
}
