// What a component is asked: the text of the message, or the JSON that the component declares.
import { Errors } from "@svc/api"
import { Json } from "@svc/domain"
import type { Mismatch, Shape } from "@svc/runtime"
import { Effect, Schema } from "effect"

const parseJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Json.InputValue))

const problemsOf = (mismatch: Mismatch) =>
  mismatch.issues.map(({ message, path }) => ({ loc: ["body", "message", ...path], msg: message, type: "value_error" }))

const notJson = (kind: string) => () =>
  Errors.invalid([{
    loc: ["body", "message"],
    msg: `This ${kind} takes JSON that fits its input_schema`,
    type: "json_invalid"
  }])

export const inputOf = Effect.fnUntraced(function*(kind: string, shape: Shape<unknown> | undefined, message: string) {
  if (shape === undefined) return message as Json.Value
  const value = yield* Effect.mapError(parseJson(message), notJson(kind))
  yield* Effect.mapError(shape.decode(value), (mismatch) => Errors.invalid(problemsOf(mismatch)))
  return value
})
