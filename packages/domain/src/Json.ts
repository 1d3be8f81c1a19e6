// JSON as the contract carries it: free-form objects keep every key and never become `unknown`.
import { Schema } from "effect"

export const Value: Schema.Codec<Value> = Schema.Json
export type Value = Schema.Json

export const Object = Schema.Record(Schema.String, Schema.Json)
export type Object = typeof Object.Type

/** Far more than anybody means, and far less than what `JSON.stringify` can still write. */
export const deepest = 200

const children = (value: Value): ReadonlyArray<Value> =>
  typeof value !== "object" || value === null ? [] : Array.isArray(value) ? value : globalThis.Object.values(value)

/** Level by level and not by recursion, which is what deep values are sent to break. */
export const isShallow = (value: Value): boolean => {
  let level: ReadonlyArray<Value> = [value]
  for (let depth = 0; depth < deepest; depth++) {
    level = level.flatMap(children)
    if (level.length === 0) return true
  }
  return false
}

export const tooDeep = `Input should not be nested deeper than ${deepest} levels`

const shallow = Schema.makeFilter<Value>(isShallow, {
  message: tooDeep,
  problem: "json_too_deep"
})

/** What callers send. A value that could be stored but never be written out again would take its whole list with it. */
export const InputValue = Schema.Json.check(shallow)
export const Input = Object.check(shallow)
