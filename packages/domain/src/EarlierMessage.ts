// A message that a client shows the model before the input of a run. It is not stored with the session.
import { Schema } from "effect"
import { Role, ToolCall } from "./Message.ts"

export const EarlierMessage = Schema.Struct({
  role: Role,
  content: Schema.optionalKey(Schema.String),
  /** The calls of the assistant. A call without a result is dropped. */
  tool_calls: Schema.optionalKey(Schema.Array(ToolCall)),
  /** The call that a message of a tool answers. */
  tool_call_id: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "EarlierMessage" })
export type EarlierMessage = typeof EarlierMessage.Type

export const maxCount = 2000

export const EarlierMessages = Schema.Array(EarlierMessage).check(Schema.isMaxLength(maxCount))
