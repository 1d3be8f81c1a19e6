// Conditions on metadata. A plain object asks for equal values; an object with `op` is an expression; a list asks for
// all of its items. What has another shape, or is larger than the limits, is refused.
import { Result } from "effect"
import * as FilterSize from "./FilterSize.ts"
import * as Json from "./Json.ts"

export type Scalar = string | number | boolean | null

const comparisons = ["GT", "GTE", "LT", "LTE"] as const
export type Comparison = (typeof comparisons)[number]

export type Filter =
  /** One of the values, or a list that has one of them. Null stands for a missing key too. */
  | { readonly _tag: "In"; readonly key: string; readonly values: ReadonlyArray<Scalar> }
  /** A value of the same type: numbers by their size, texts by their code points. */
  | { readonly _tag: "Compare"; readonly key: string; readonly by: Comparison; readonly value: string | number }
  | { readonly _tag: "And"; readonly filters: ReadonlyArray<Filter> }
  | { readonly _tag: "Or"; readonly filters: ReadonlyArray<Filter> }
  | { readonly _tag: "Not"; readonly filter: Filter }

/** `characters` of all keys and texts together. */
export const limits = { depth: 10, conditions: 100, values: 1000, characters: 65_536 } as const

/** A filter that every chunk matches. */
export const everything: Filter = { _tag: "And", filters: [] }

export const all = (filters: ReadonlyArray<Filter>): Filter => {
  const [only] = filters
  return filters.length === 1 && only !== undefined ? only : { _tag: "And", filters }
}

type Parsed<A> = Result.Result<A, string>

const isScalar = (value: Json.Value | undefined): value is Scalar =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const reader = (count: FilterSize.Count) => {
  const scalar = (key: string, value: Json.Value | undefined): Parsed<Scalar> =>
    Result.gen(function*() {
      yield* count("values", 1)
      if (!isScalar(value)) {
        return yield* Result.fail(`The value of filter '${key}' must be a text, a number, a boolean or null`)
      }
      if (typeof value === "string") yield* count("characters", value.length)
      return value
    })

  const condition = (key: string, values: ReadonlyArray<Json.Value | undefined>): Parsed<Filter> =>
    Result.gen(function*() {
      yield* count("conditions", 1)
      yield* count("characters", key.length)
      const scalars: Array<Scalar> = []
      for (const value of values) scalars.push(yield* scalar(key, value))
      return { _tag: "In", key, values: scalars }
    })

  const keyOf = (op: string, { key }: Json.Object): Parsed<string> =>
    typeof key === "string" && key !== "" ? Result.succeed(key) : Result.fail(`${op} filter requires a 'key'`)

  const list = (op: string, field: string, value: Json.Value | undefined): Parsed<ReadonlyArray<Json.Value>> =>
    Json.isList(value) ? Result.succeed(value) : Result.fail(`${op} filter requires '${field}' as a list`)

  const many = (given: ReadonlyArray<Json.Value>, depth: number): Parsed<ReadonlyArray<Filter>> =>
    Result.gen(function*() {
      yield* count("conditions", 1)
      const filters: Array<Filter> = []
      for (const filter of given) filters.push(yield* read(filter, depth + 1))
      return filters
    })

  const compared = (op: string, given: Json.Object): Parsed<Filter> =>
    Result.gen(function*() {
      const by = comparisons.find((name) => name === op)
      if (by === undefined) return yield* Result.fail(`Unknown filter operator: ${op}`)
      const key = yield* keyOf(op, given)
      yield* count("conditions", 1)
      yield* count("characters", key.length)
      const value = yield* scalar(key, given["value"])
      if (typeof value === "string" || typeof value === "number") return { _tag: "Compare", key, by, value }
      return yield* Result.fail(`${op} filter requires a text or a number as 'value'`)
    })

  const expression = (op: string, given: Json.Object, depth: number): Parsed<Filter> =>
    Result.gen(function*() {
      switch (op) {
        case "AND":
        case "OR": {
          const filters = yield* many(yield* list(op, "conditions", given["conditions"]), depth)
          return op === "AND" ? { _tag: "And", filters } : { _tag: "Or", filters }
        }
        case "NOT":
          yield* count("conditions", 1)
          return { _tag: "Not", filter: yield* read(given["condition"], depth + 1) }
        case "IN":
          return yield* condition(yield* keyOf(op, given), yield* list(op, "values", given["values"]))
        case "EQ":
        case "NEQ": {
          const key = yield* keyOf(op, given)
          if (!("value" in given)) return yield* Result.fail(`${op} filter requires 'key' and 'value' fields`)
          const filter = yield* condition(key, [given["value"]])
          return op === "EQ" ? filter : { _tag: "Not", filter }
        }
        default:
          return yield* compared(op, given)
      }
    })

  const read = (given: Json.Value | undefined, depth: number): Parsed<Filter> =>
    Result.gen(function*() {
      if (depth > limits.depth) {
        return yield* Result.fail(`Filter expression exceeds maximum nesting depth of ${limits.depth}`)
      }
      if (Json.isList(given)) return all(yield* many(given, depth))
      if (!Json.isObject(given)) return yield* Result.fail("A filter must be an object, or a list of objects")
      const { op } = given
      if (typeof op === "string") return yield* expression(op, given, depth)
      const filters: Array<Filter> = []
      for (const [key, wanted] of Object.entries(given)) {
        filters.push(yield* condition(key, Json.isList(wanted) ? wanted : [wanted]))
      }
      return all(filters)
    })

  return read
}

/** The failure is a sentence for the caller. */
export const parse = (given: Json.Value): Result.Result<Filter, string> => reader(FilterSize.counting(limits))(given, 1)

const isEqual = (stored: Json.Value | undefined, value: Scalar): boolean =>
  value === null ? stored === undefined || stored === null : stored === value

const compare = (left: string | number, right: string | number): number => left < right ? -1 : left > right ? 1 : 0

/** Whether metadata matches. Stores in a database do the same in SQL. */
export const matches = (filter: Filter, metadata: Json.Object): boolean => {
  switch (filter._tag) {
    case "And":
      return filter.filters.every((one) => matches(one, metadata))
    case "Or":
      return filter.filters.some((one) => matches(one, metadata))
    case "Not":
      return !matches(filter.filter, metadata)
    case "In": {
      const stored = Object.hasOwn(metadata, filter.key) ? metadata[filter.key] : undefined
      const candidates: ReadonlyArray<Json.Value | undefined> = Json.isList(stored) ? stored : [stored]
      return candidates.some((candidate) => filter.values.some((value) => isEqual(candidate, value)))
    }
    case "Compare": {
      const stored = Object.hasOwn(metadata, filter.key) ? metadata[filter.key] : undefined
      if (typeof stored !== typeof filter.value) return false
      const order = compare(stored as string | number, filter.value)
      return filter.by === "GT"
        ? order > 0
        : filter.by === "GTE"
        ? order >= 0
        : filter.by === "LT"
        ? order < 0
        : order <= 0
    }
  }
}
