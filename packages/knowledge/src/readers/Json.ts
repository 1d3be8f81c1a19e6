// JSON: a document for each item of an array, or one for any other value.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Result } from "effect"
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

/** What TypeScript does not know yet. */
interface SourceJson {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => Json.Value
  readonly rawJSON: (text: string) => unknown
}
const sourceJson = JSON as unknown as SourceJson

const longNumber = /\d{16}/

/** Numbers with more digits than JavaScript keeps are usually ids: they stay as they are written. */
const parse = (text: string): Json.Value =>
  longNumber.test(text)
    ? sourceJson.parse(text, (_, value, { source = "" }) =>
      typeof value === "number" && longNumber.test(source) ? sourceJson.rawJSON(source) : value)
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
