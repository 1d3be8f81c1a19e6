// The keywords of a JSON Schema about a value itself: its type, its bounds, its allowed values.
import { type JsonSchema, Predicate } from "effect"
import type { CheckBudget } from "./CheckBudget.ts"
import { own } from "./JsonSchemaReferences.ts"

type Schema = JsonSchema.JsonSchema

const isOfType = (type: unknown, value: unknown): boolean => {
  switch (type) {
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    case "null":
      return value === null
    case "object":
      return Predicate.isObject(value)
    case "boolean":
    case "number":
    case "string":
      return typeof value === type
    default:
      return true
  }
}

const typesOf = (schema: Schema): ReadonlyArray<unknown> => {
  const type = own(schema, "type")
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type]
  // as schemas of OpenAPI 3.0 say it
  return types.length > 0 && own(schema, "nullable") === true ? [...types, "null"] : types
}

const isSame = (left: unknown, right: unknown, budget: CheckBudget): boolean => {
  budget.spend(1)
  if (!Predicate.isObjectOrArray(left) || !Predicate.isObjectOrArray(right)) return left === right
  const keys = Object.keys(left)
  return Array.isArray(left) === Array.isArray(right) && keys.length === Object.keys(right).length &&
    keys.every((key) =>
      Object.hasOwn(right, key) && budget.nested(() => isSame(own(left, key), own(right, key), budget))
    )
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

const literalProblem = (schema: Schema, value: unknown, budget: CheckBudget): string | undefined => {
  const allowed = own(schema, "enum")
  const only = own(schema, "const")
  if (only !== undefined && !isSame(only, value, budget)) return `Expected ${shown(only)}`
  if (!Array.isArray(allowed) || allowed.some((each) => isSame(each, value, budget))) return undefined
  return `Expected one of ${shown(allowed)}`
}

const bound = (schema: Schema, keyword: string): number | undefined => {
  const value = own(schema, keyword)
  return Predicate.isNumber(value) ? value : undefined
}

type Bounds = ReadonlyArray<
  readonly [keyword: string, isKept: (actual: number, limit: number) => boolean, words: string]
>

const isAtLeast = (actual: number, limit: number) => actual >= limit
const isAtMost = (actual: number, limit: number) => actual <= limit

/** Decimal fractions are inexact in binary. */
const isMultiple = (actual: number, step: number): boolean => {
  const quotient = actual / step
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

const numbers: Bounds = [
  ["minimum", isAtLeast, "a number not below"],
  ["maximum", isAtMost, "a number not above"],
  ["exclusiveMinimum", (actual, limit) => actual > limit, "a number above"],
  ["exclusiveMaximum", (actual, limit) => actual < limit, "a number below"],
  ["multipleOf", isMultiple, "a multiple of"]
]
const texts: Bounds = [["minLength", isAtLeast, "a length of at least"], ["maxLength", isAtMost, "a length of at most"]]
const lists: Bounds = [["minItems", isAtLeast, "so many items at least:"], [
  "maxItems",
  isAtMost,
  "so many items at most:"
]]
const objects: Bounds = [["minProperties", isAtLeast, "so many keys at least:"], [
  "maxProperties",
  isAtMost,
  "so many keys at most:"
]]

const boundsProblem = (schema: Schema, bounds: Bounds, actual: number): string | undefined => {
  const broken = bounds.find(([keyword, isKept]) => {
    const limit = bound(schema, keyword)
    return limit !== undefined && !isKept(actual, limit)
  })
  return broken && `Expected ${broken[2]} ${bound(schema, broken[0])}`
}

/** In code points, as JSON Schema counts. Counted only if a keyword needs it. */
const textProblem = (schema: Schema, value: string, budget: CheckBudget): string | undefined => {
  if (texts.every(([keyword]) => bound(schema, keyword) === undefined)) return undefined
  budget.spend(Math.ceil(value.length / 50))
  let length = 0
  for (const _ of value) length++
  return boundsProblem(schema, texts, length)
}

const listProblem = (schema: Schema, value: ReadonlyArray<unknown>, budget: CheckBudget): string | undefined => {
  const problem = boundsProblem(schema, lists, value.length)
  if (problem !== undefined || own(schema, "uniqueItems") !== true) return problem
  const texts = value.map((item) => JSON.stringify(item))
  budget.spend(texts.reduce((sum, { length }) => sum + Math.ceil(length / 50), 0))
  return new Set(texts).size === texts.length ? undefined : "Expected an array with unique items"
}

/** The mismatch of `value` as a text, without nested values. Undefined if it matches. */
export const problemOf = (schema: Schema, value: unknown, budget: CheckBudget): string | undefined => {
  const types = typesOf(schema)
  budget.spend(types.length)
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return `Expected ${types.join(" | ")}`
  const problem = literalProblem(schema, value, budget)
  if (problem !== undefined) return problem
  if (Predicate.isString(value)) return textProblem(schema, value, budget)
  if (Predicate.isNumber(value)) return boundsProblem(schema, numbers, value)
  if (Array.isArray(value)) return listProblem(schema, value, budget)
  return Predicate.isObject(value) ? boundsProblem(schema, objects, Object.keys(value).length) : undefined
}
