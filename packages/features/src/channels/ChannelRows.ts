// What is stored of channels: events that wait, the sessions of conversations, and replies.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { ChannelEvent } from "./ChannelEvent.ts"

/** An event that is not handled yet. */
export const Waiting = Schema.Struct({
  /** In the order of arrival. */
  seq: Schema.Finite,
  channel: Schema.String,
  event: ChannelEvent,
  /** Those of the run that the event starts, and of a session that the run begins: a repeated attempt has the same. */
  run_id: Run.Id,
  session_id: Session.Id,
  received_at: Schema.Finite
})
export type Waiting = typeof Waiting.Type

/** What the event `event` needs to be stored. */
export interface Arrival extends Omit<Waiting, "seq"> {}

/** Where a conversation of a person is. */
export const Place = Schema.Struct({
  channel: Schema.String,
  sender: Schema.String,
  thread: Schema.String,
  place: Json.Object,
  is_direct: Schema.Boolean,
  user_id: Ids.UserId
})
export type Place = typeof Place.Type

/** What has failed last: requests of the platform, messages to it, or the connection with it. */
export const Failure = Schema.Struct({
  kind: Schema.Literals(["receive", "post", "connect"]),
  message: Schema.String,
  at: Schema.Finite
})
export type Failure = typeof Failure.Type

/** How a channel is. */
export const Health = Schema.Struct({
  last_event_at: Schema.NullOr(Schema.Finite),
  last_post_at: Schema.NullOr(Schema.Finite),
  /** Events that are not handled, and replies that are not written. They are counted up to a limit. */
  waiting_events: Schema.Finite,
  waiting_replies: Schema.Finite,
  errors: Schema.Array(Failure)
})
export type Health = typeof Health.Type

/** What has become of a message that no event has caused. */
export const Delivery = Schema.Struct({
  id: Schema.String,
  thread: Schema.String,
  user_id: Schema.NullOr(Ids.UserId),
  created_at: Schema.Finite,
  written_at: Schema.NullOr(Schema.Finite),
  error: Schema.NullOr(Schema.String)
})
export type Delivery = typeof Delivery.Type

/** A message on the platform. Its id is null while it is not known whether it was posted. */
export const Post = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  /** It has a file, and no words. */
  isFile: Schema.optional(Schema.Boolean)
})
export type Post = typeof Post.Type

/** The run that a reply shows. */
export const ShownRun = Schema.Struct({
  kind: ComponentKind.ComponentKind,
  id: Schema.String,
  run_id: Run.Id,
  session_id: Session.Id,
  /** How many events it had before: the reply shows those behind them. */
  after: Schema.Finite
})
export type ShownRun = typeof ShownRun.Type

const Field = Schema.Struct({
  name: Schema.String,
  label: Schema.String,
  type: Schema.Literals(["text", "paragraph", "number", "boolean", "choice"]),
  options: Schema.optional(Schema.Array(Schema.String)),
  isRequired: Schema.Boolean,
  value: Schema.optional(Schema.String)
})

/** A button, as an adapter gets it. */
const Choice = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  style: Schema.Literals(["primary", "danger", "plain"]),
  form: Schema.optional(Schema.Struct({ title: Schema.String, fields: Schema.Array(Field) }))
})

/** What a pause asks for, and what is answered already. One question is pending at a time. */
export const Pending = Schema.Struct({
  /** The question that is pending. */
  question: Schema.String,
  answers: Schema.Array(Schema.Tuple([Schema.String, Schema.Json])),
  choices: Schema.Array(Choice),
  /** What the message says. */
  text: Schema.String,
  /** How many events the run had. */
  after: Schema.Finite,
  /** The questions of the run that are answered, with the replies that have asked them and their texts. */
  answered: Schema.optional(
    Schema.Array(Schema.Struct({ question: Schema.String, reply: Schema.String, text: Schema.String }))
  ),
  /** A person fills in the form of a choice in words, one field after the other. Null: the field is left out. */
  awaits: Schema.optional(Schema.Struct({ choice: Schema.String, sender: Schema.String, values: Json.Object }))
})
export type Pending = typeof Pending.Type

/** What a channel writes into a conversation: a text, or else the words of a run. */
export const Reply = Schema.Struct({
  seq: Schema.Finite,
  id: Schema.String,
  channel: Schema.String,
  thread: Schema.String,
  place: Json.Object,
  is_direct: Schema.Boolean,
  /** The person on the platform to whom it replies. */
  sender: Schema.NullOr(Schema.Struct({ id: Schema.String, name: Schema.NullOr(Schema.String) })),
  /** Whose run it shows. Null: that of no user. */
  user_id: Schema.NullOr(Ids.UserId),
  run: Schema.NullOr(ShownRun),
  /** Null with no run: how the person links the account. */
  text: Schema.NullOr(Schema.String),
  /** What it asks for beside its text. */
  pending: Schema.NullOr(Pending),
  /** The text is a question that the person answers in words, about this. */
  asks: Schema.NullOr(Schema.String),
  /** The reply that has asked: its messages are changed. */
  edits: Schema.NullOr(Schema.String),
  /** In the order in which people see them. */
  posts: Schema.Array(Post),
  created_at: Schema.Finite
})
export type Reply = typeof Reply.Type

/** Texts do not wait until a run has ended: they have a job of their own. */
export const Lane = Schema.Literals(["texts", "runs"])
export type Lane = typeof Lane.Type

/** The id of the prompt of a reply: the same for each attempt to write it. */
export const promptOf = (reply: string): string => createHash("sha256").update(reply).digest("hex").slice(0, 24)

/** The cause of a message that no event has caused. */
export const sentCause = (id: string): string => `message ${id}`

/** A reply that asks for a decision, or has asked. */
export const Asking = Schema.Struct({ ...Reply.fields, pending: Pending, is_decided: Schema.Boolean })
export type Asking = typeof Asking.Type

export interface NewReply extends Omit<Reply, "seq"> {
  /** What it replies to: there is one reply to it. */
  readonly cause: string
}
