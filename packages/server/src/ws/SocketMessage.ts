// The messages of clients on a workflow socket, and the frames that are sent to them.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect, Schema } from "effect"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const id = Schema.optionalKey(Schema.NullOr(Ids.IdInput))

/** The actions check their fields. Other fields are ignored. */
export const SocketMessage = Schema.Struct({
  action: text,
  token: text,
  workflow_id: id,
  run_id: id,
  session_id: id,
  user_id: Schema.optionalKey(Schema.NullOr(Ids.UserIdInput)),
  message: text,
  /** Of a stored workflow. */
  version: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  /** Of the last event that was seen. */
  last_event_index: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  ...RunOption.nullableFields(RunOption.disconnect),
  ...RunOption.nullableFields(RunOption.start),
  ...RunOption.nullableFields(RunOption.inherited),
  /** The W3C trace context of the message. */
  traceparent: text,
  tracestate: text,
  /** The input of the factory of the workflow: an object, not JSON text. */
  factory_input: Schema.optionalKey(Schema.Unknown),
  /** Decoded when their run is known. */
  requirements: Schema.optionalKey(Schema.Unknown),
  step_requirements: Schema.optionalKey(Schema.Unknown),
  error_requirements: Schema.optionalKey(Schema.Unknown)
})
export type SocketMessage = typeof SocketMessage.Type

const decodeMessage = Schema.decodeUnknownEffect(SocketMessage)

/** A frame that is not JSON: its sender does not use this protocol. */
export class NotJson extends Schema.TaggedError<NotJson>()("NotJson", {}) {}

/** JSON that is not a message. */
export class NotAMessage extends Schema.TaggedError<NotAMessage>()("NotAMessage", { message: Schema.String }) {}

export const decode = Effect.fnUntraced(function*(frame: string, maxValues: number) {
  if (JsonValues.exceed(frame, maxValues)) {
    return yield* new NotAMessage({ message: JsonValues.tooMany("The message", maxValues) })
  }
  const value = yield* Effect.mapError(Effect.fromOption(Json.parse(frame)), () => new NotJson())
  const refusal = Json.refusalOf(value)
  if (refusal !== undefined) return yield* new NotAMessage({ message: refusal.msg })
  return yield* Effect.mapError(
    decodeMessage(value),
    () =>
      new NotAMessage({
        message: "A message is a JSON object with an action, and with fields of the types that the action takes"
      })
  )
})

export interface Frame {
  readonly event: string
  readonly [field: string]: string | boolean
}

export const error = (error: string): Frame => ({ event: "error", error })
export const authError = (error: string, error_type?: string): Frame => ({
  event: "auth_error",
  error,
  ...(error_type === undefined ? {} : { error_type })
})
