// Some models send a list or an object within the arguments of a call as a text of JSON. Where the schema refuses such
// a text, it is read.
import * as Json from "@svc-runtime/domain/Json"
import { Effect, Option, Predicate, Result } from "effect"
import type { Mismatch, Shape } from "../schema/AnySchema.ts"

type Path = Mismatch["issues"][number]["path"]

const container = /^\s*(?:\[[^]*\]|\{[^]*\})\s*$/

/** The list or the object for which a text stands. Undefined: there is none. */
export const valueOf = (text: unknown): Json.Value | undefined =>
  typeof text === "string" && container.test(text)
    ? Option.getOrUndefined(Json.parseInput(text))
    : undefined

/** The input with the value of the text at the path. The same input if there is none. */
const readAt = (input: unknown, [key, ...rest]: Path): unknown => {
  if (key === undefined) return valueOf(input) ?? input
  if (!Predicate.isObjectOrArray(input) || !Object.hasOwn(input, key)) return input
  const before = (input as Record<string, unknown>)[key]
  const after = readAt(before, rest)
  if (after === before) return input
  if (Array.isArray(input)) return input.map((item: unknown, index) => index === Number(key) ? after : item)
  return { ...input, [key]: after }
}

/** A text within a text that was read. */
const maxRounds = 3

/** Decodes arguments as they are, or with the texts that the schema refuses as what they stand for. */
export const decoding = (decode: Shape<unknown>["decode"]): Shape<unknown>["decode"] =>
  Effect.fnUntraced(function*(input) {
    const first = yield* Effect.result(decode(input))
    if (Result.isSuccess(first) || !Predicate.isObject(input)) return yield* Effect.fromResult(first)
    let [given, problem]: [unknown, Mismatch] = [input, first.failure]
    for (let round = 0; round < maxRounds && problem.isUnfinished !== true; round++) {
      const read = problem.issues.reduce((value, { path }) => path.length === 0 ? value : readAt(value, path), given)
      if (read === given) break
      const next = yield* Effect.result(decode(read))
      if (Result.isSuccess(next)) return next.success
      given = read
      problem = next.failure
    }
    return yield* Effect.fail(first.failure)
  })

const listOf = (value: Json.Value | undefined): ReadonlyArray<Json.Value> =>
  Json.isList(value) ? value : value === undefined ? [] : [value]

/** The types that a field names, also as alternatives. */
const typesOf = (field: Json.Value | undefined): ReadonlyArray<Json.Value> =>
  Json.isObject(field)
    ? [...listOf(field["type"]), ...[...listOf(field["anyOf"]), ...listOf(field["oneOf"])].flatMap(typesOf)]
    : []

/** Reads the texts of fields that are lists or objects, and no texts, by a schema that is not checked here. */
export const byTypes = (schema: Json.Value, input: Json.Object): Json.Object => {
  const properties = Json.isObject(schema) ? schema["properties"] : undefined
  if (!Json.isObject(properties)) return input
  return Object.fromEntries(
    Object.entries(input).map(([name, given]) => {
      const value = valueOf(given)
      if (value === undefined || !Object.hasOwn(properties, name)) return [name, given]
      const types = typesOf(properties[name])
      const isExpected = types.includes(Json.isList(value) ? "array" : "object") && !types.includes("string")
      return [name, isExpected ? value : given]
    })
  )
}
