// What a function of an author gives, as JSON. Fields without a value are left out, as `JSON.stringify` does: answers
// of SDKs have them, and what was done must not be lost for them.
import * as Json from "@svc-runtime/domain/Json"
import { Predicate, Result, Schema } from "effect"

const isStorable = Schema.is(Json.Storable)

/** A value can have a cycle, getters that throw, and more levels than are kept. */
const isJson = (value: unknown): value is Json.Value => {
  try {
    return isStorable(value)
  } catch {
    return false
  }
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (!Predicate.isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

const withoutEmpty = (value: unknown, depth = 0): unknown => {
  if (depth > Json.maxDepth) return undefined
  if (Array.isArray(value)) return value.map((each) => withoutEmpty(each, depth + 1))
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => each === undefined ? [] : [[key, withoutEmpty(each, depth + 1)]])
  )
}

/** The kind of a value that is no JSON, in a sentence. */
export const kindOf = (value: unknown): string => {
  if (typeof value === "function") return "a function"
  if (Predicate.isPromiseLike(value)) return "a promise: write await before it"
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? `${value}n` : String(value)
  const { name } = value.constructor ?? {}
  return `an object of the class ${Predicate.isString(name) && name !== "" ? name : "?"}`
}

/** The first part that is no JSON. */
const oddIn = (value: unknown, path: ReadonlyArray<string> = []): string | undefined => {
  if (path.length > Json.maxDepth) return Json.tooDeep
  const inside = Array.isArray(value) ? [...value.entries()] : isPlain(value) ? Object.entries(value) : undefined
  if (inside === undefined) {
    const at = path.length === 0 ? "it" : `'${path.join(".")}'`
    return isJson(value) ? undefined : `${at} is ${kindOf(value)}`
  }
  for (const [key, each] of inside) {
    const odd = oddIn(each, [...path, String(key)])
    if (odd !== undefined) return odd
  }
  return undefined
}

/** The failure says which part is no JSON. */
export const of = (value: unknown): Result.Result<Json.Value, string> => {
  if (isJson(value)) return Result.succeed(value)
  try {
    const whole = withoutEmpty(value)
    return isJson(whole) ? Result.succeed(whole) : Result.fail(oddIn(value) ?? "it cannot be read")
  } catch {
    return Result.fail("it cannot be read")
  }
}
