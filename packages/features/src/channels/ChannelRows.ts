// What is stored of channels: events that wait, the sessions of conversations, and replies.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"
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

/** A message on the platform. Its id is null while it is not known whether it was posted. */
export const Post = Schema.Struct({ id: Schema.NullOr(Schema.String) })
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

/** What a channel writes into a conversation: the words of a run, or a text. */
export const Reply = Schema.Struct({
  seq: Schema.Finite,
  id: Schema.String,
  channel: Schema.String,
  thread: Schema.String,
  place: Json.Object,
  /** Whose run it shows, or who is told something. Null: nobody in particular. */
  user_id: Schema.NullOr(Ids.UserId),
  run: Schema.NullOr(ShownRun),
  text: Schema.NullOr(Schema.String),
  /** In the order in which people see them. */
  posts: Schema.Array(Post),
  created_at: Schema.Finite
})
export type Reply = typeof Reply.Type

export interface NewReply extends Omit<Reply, "posts" | "seq"> {
  /** What it replies to: there is one reply to it. */
  readonly cause: string
}
