// Values as text for a model to read.
import type * as Json from "@svc-runtime/domain/Json"
import { Data, Predicate, Result } from "effect"

export const ofJson = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value)

const isReadable = (value: unknown): value is object =>
  Predicate.isObjectOrArray(value) || value instanceof Map || value instanceof Set

const byName = (map: ReadonlyMap<unknown, unknown>): boolean => [...map.keys()].every((key) => typeof key === "string")

class Unread extends Data.Error<{ readonly message: string }> {}

/** What an author has forgotten to read. JSON would be `{}`, which a model takes for an empty result. */
const unread = (value: object): string | undefined => {
  if (value instanceof Response) return "a Response: return await response.json() or response.text()"
  if (Predicate.isPromiseLike(value)) return "a promise: write await before it"
  if (value instanceof ReadableStream || Symbol.asyncIterator in value) return "a stream: return what is in it"
  if (Symbol.iterator in value && "next" in value) return "an iterator or a generator: return what is in it"
  return undefined
}

/** The value with what JSON would leave empty: errors, maps, sets and circular references. */
const written = (value: unknown, around: ReadonlyArray<object> = []): unknown => {
  if (typeof value === "bigint") return `${value}n`
  // in an object of a library, functions are methods
  if (typeof value === "function" && around.length === 0) {
    throw new Unread({ message: "The tool has run, but its result is a function: call it, and return what it gives" })
  }
  if (!isReadable(value)) return value
  if (around.includes(value)) return "(circular)"
  const forgotten = unread(value)
  if (forgotten !== undefined) throw new Unread({ message: `The tool has run, but its result is ${forgotten}` })
  const inside = [...around, value]
  const each = (item: unknown) => written(item, inside)
  if (value instanceof Error) return { error: `${value.name}: ${value.message}` }
  if (value instanceof Set) return [...value].map(each)
  if (value instanceof Map) {
    return byName(value)
      ? Object.fromEntries([...value].map(([key, item]) => [key, each(item)]))
      : [...value].map(([key, item]) => [each(key), each(item)])
  }
  if (Array.isArray(value)) return value.map(each)
  if (Predicate.hasProperty(value, "toJSON") && Predicate.isFunction(value.toJSON)) return each(value.toJSON())
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, each(item)]))
}

/**
 * The result of a tool: text unchanged, nothing as empty text, other values as JSON. Errors are their message, maps and
 * sets their members, circular references are marked, and large integers are written as digits. What the author has
 * forgotten to read, such as a `Response`, fails.
 */
export const ofResult = (value: unknown): Result.Result<string, Error> => {
  if (typeof value === "string") return Result.succeed(value)
  if (value instanceof Error) return Result.succeed(`${value.name}: ${value.message}`)
  return Result.try(() => JSON.stringify(written(value)) ?? "").pipe(
    Result.mapError((error) =>
      error instanceof Unread ? error : new Error("The tool has run, but its result cannot be written as JSON")
    )
  )
}
