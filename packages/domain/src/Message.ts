// One message of a run's conversation. Five keys are always present; the others only if they have a value.
import { Schema } from "effect"
import * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import { References } from "./Reference.ts"
import { EpochSeconds } from "./Time.ts"
import { MessageMetrics } from "./Usage.ts"

export const Role = Schema.Literals(["system", "developer", "user", "assistant", "tool"])
export type Role = typeof Role.Type

/** A tool call of the model: `arguments` is the unchanged JSON text. */
export const ToolCall = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("function"),
  function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
}).annotate({ identifier: "ToolCall" })
export type ToolCall = typeof ToolCall.Type

export const Message = Schema.Struct({
  id: Schema.String,
  content: Schema.optionalKey(Schema.String),
  /** Copied from an earlier run of the session as context. */
  from_history: Schema.Boolean,
  stop_after_tool_call: Schema.Boolean,
  role: Role,
  created_at: EpochSeconds,
  name: Schema.optionalKey(Schema.String),
  tool_call_id: Schema.optionalKey(Schema.String),
  tool_name: Schema.optionalKey(Schema.String),
  tool_args: Schema.optionalKey(Schema.Json),
  tool_call_error: Schema.optionalKey(Schema.Boolean),
  tool_calls: Schema.optionalKey(Schema.Array(ToolCall)),
  reasoning_content: Schema.optionalKey(Schema.String),
  redacted_reasoning_content: Schema.optionalKey(Schema.String),
  compressed_content: Schema.optionalKey(Schema.String),
  /** Data that a provider needs back with its own message, for example the signature of a reasoning block. */
  provider_data: Schema.optionalKey(Json.Object),
  checkpoint_status: Schema.optionalKey(Schema.String),
  checkpoint_created_at: Schema.optionalKey(EpochSeconds),
  images: Schema.optionalKey(Schema.Array(Media.Image)),
  audio: Schema.optionalKey(Schema.Array(Media.Audio)),
  videos: Schema.optionalKey(Schema.Array(Media.Video)),
  files: Schema.optionalKey(Schema.Array(Media.File)),
  audio_output: Schema.optionalKey(Media.Audio),
  references: Schema.optionalKey(References),
  metrics: Schema.optionalKey(MessageMetrics),
  /**
   * `left_out`: it was refused, and later runs are not shown it. `unfinished`: it is shown to a later run, and its own
   * run was cancelled or failed.
   */
  in_context: Schema.optionalKey(Schema.Literals(["left_out", "unfinished"]))
}).annotate({ identifier: "Message" })
export type Message = typeof Message.Type

/** A session's chat history contains each message once, without copies from earlier runs. */
export const isChat = (message: Message): boolean => !message.from_history
