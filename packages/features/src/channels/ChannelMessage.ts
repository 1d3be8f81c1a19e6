// Messages that no event has caused: callers, authors and schedules write them to people on a platform.
import * as Ids from "@svc-runtime/domain/Ids"
import { Schema } from "effect"

/** Characters. */
const maxText = 40_000

const id = (length: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(length))

/** A user of the service who has linked an account, what the platform calls a person, or a conversation. */
export const To = Schema.Union([
  Schema.Struct({ user_id: Ids.UserId }),
  Schema.Struct({ sender: id(200) }),
  Schema.Struct({ thread: id(300) })
])
export type To = typeof To.Type

/** Markdown. */
export const Text = id(maxText)

export const Send = Schema.Struct({ to: To, text: Text }).annotate({ identifier: "ChannelMessageSend" })
export type Send = typeof Send.Type

export const Status = Schema.Literals(["waiting", "written", "failed"])

export const Shown = Schema.Struct({
  id: Schema.String,
  channel: Schema.String,
  thread: Schema.String,
  status: Status,
  error: Schema.NullOr(Schema.String),
  created_at: Schema.Int,
  written_at: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "ChannelMessage" })
export type Shown = typeof Shown.Type
