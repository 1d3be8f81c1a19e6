// JSON: a document for each item of an array, or one for any other value.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Predicate, Result } from "effect"
import { Unreadable } from "../Unreadable.ts"
import { decode } from "./decoding.ts"
import type { Read } from "./Input.ts"

const quote = 34
const backslash = 92

/** How many values a text has and how deep they are, before they use memory: a value needs many times its text. */
const measure = (text: string) => {
  let [values, depth, deepest, isString] = [1, 0, 0, false]
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (isString) {
      if (unit === backslash) index += 1
      else if (unit === quote) isString = false
    } else if (unit === quote) isString = true
    else if (unit === 0x7b || unit === 0x5b) {
      values += 1
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1
    else if (unit === 0x2c) values += 1
  }
  return { values, deepest }
}

const tooLarge = (message: string) => Effect.fail(new Unreadable({ reason: "too_large", message }))

const longNumber = /\d{16}/

/** The types of TypeScript do not know `rawJSON` and the third argument of a reviver yet. */
const written = (value: unknown, context: unknown): unknown => {
  const source = Predicate.hasProperty(context, "source") ? context.source : undefined
  if (typeof value !== "number" || typeof source !== "string" || !longNumber.test(source)) return value
  return Predicate.hasProperty(JSON, "rawJSON") && Predicate.isFunction(JSON.rawJSON) ? JSON.rawJSON(source) : value
}

/** Numbers with more digits than JavaScript keeps are usually ids: they stay as they are written. */
const parse = (text: string): Json.Value =>
  longNumber.test(text)
    ? JSON.parse(text, (_, value: unknown, ...[context]: ReadonlyArray<unknown>) => written(value, context))
    : JSON.parse(text)

export const read: Read = Effect.fnUntraced(function*(input) {
  const text = yield* decode(input)
  const { deepest, values } = measure(text)
  if (deepest > input.limits.depth) {
    return yield* tooLarge(`The JSON is nested deeper than ${input.limits.depth} levels`)
  }
  if (values > input.limits.nodes) {
    return yield* tooLarge(`The JSON has more than ${input.limits.nodes} values`)
  }
  const value = Result.try(() => parse(text))
  if (Result.isFailure(value)) {
    return yield* Effect.fail(new Unreadable({ reason: "broken", message: "The content is not valid JSON" }))
  }
  const items = Array.isArray(value.success) ? value.success : [value.success]
  return items.map((item: Json.Value, index) => ({
    text: typeof item === "string" ? item : JSON.stringify(item),
    metadata: { page: index + 1 }
  }))
})
