// A structured answer while it grows. Each event has the whole object so far, so after the first ones events become
// rarer as it grows: all of them together are at most some times the size of the answer.
import * as Json from "@svc-runtime/domain/Json"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as AnswerSchema from "@svc-runtime/models/AnswerSchema"
import { Predicate, Result } from "effect"
import { Allow, parse } from "partial-json"
import type { OutputSchema } from "./StructuredOutput.ts"

/** So many events come with any growth: each part of an answer in few parts is shown. */
const first = 8

/** By how much the text grows from one event to the next. */
const growth = { characters: 32, factor: 1.15 }

/** A number can still get digits. */
const allowed = Allow.ALL & ~Allow.NUM

/** The parser is recursive, and overflows the stack slowly. */
const isTooDeep = (text: string): boolean => {
  let [depth, isText] = [0, false]
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (isText && character === "\\") index++
    else if (character === "\"") isText = !isText
    else if (!isText && (character === "{" || character === "[")) depth++
    else if (!isText && (character === "}" || character === "]")) depth--
    if (depth > Json.maxDepth) return true
  }
  return false
}

/** An object or a list that has a value. */
const hasValue = (value: unknown): value is Json.Object | ReadonlyArray<Json.Value> =>
  Predicate.isObjectOrArray(value) && Object.keys(value).length > 0

/** Undefined: there is nothing to show. */
const parsed = ({ shape }: OutputSchema, text: string): Json.Value | undefined => {
  const value = Result.getOrUndefined(Result.try(() => parse(text, allowed) as Json.Value))
  const shown = AnswerSchema.unwrapped(shape.jsonSchema, value) ?? value
  return hasValue(shown) ? shown : undefined
}

/** Called with the text so far. */
export const emitter = (schema: OutputSchema, emit: (event: RunEvent.Payload) => void) => {
  let [next, last, shown] = [1, "", 0]
  return (text: string): void => {
    if (text.length < next) return
    next = Math.max(text.length + (shown < first ? 1 : growth.characters), text.length * growth.factor)
    if (isTooDeep(text)) return void (next = Number.POSITIVE_INFINITY)
    const opened = text.search(/[[{]/)
    const value = opened < 0 ? undefined : parsed(schema, text.slice(opened))
    if (value === undefined) return
    const written = JSON.stringify(value)
    if (written === last) return
    last = written
    shown++
    next = shown < first ? text.length + 1 : Math.max(next, text.length + growth.characters)
    emit({ event: "RunContentPartial", content_partial: value, content_type: schema.contentType })
  }
}
