// JSON in the wire format: free-form objects keep every key and never become `unknown`.
import { Schema } from "effect"

export const Value: Schema.Codec<Value> = Schema.Json
export type Value = Schema.Json

export const Object = Schema.Record(Schema.String, Schema.Json)
export type Object = typeof Object.Type

/** The maximum depth: more than real data needs, and less than `JSON.stringify` supports. */
export const deepest = 200

const children = (value: Value): ReadonlyArray<Value> =>
  typeof value !== "object" || value === null ? [] : Array.isArray(value) ? value : globalThis.Object.values(value)

/** Iterates instead of recursing, because deep input would overflow the stack. */
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

/** JSON from callers. A value that can be stored but not encoded would break every list that contains it. */
export const InputValue = Schema.Json.check(shallow)
export const Input = Object.check(shallow)
