// How a message is sent without an event before it, and why it can be refused.
import type { ChannelError } from "@svc-runtime/channels/ChannelError"
import type * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { type Effect, Schema } from "effect"
import type { Send } from "./ChannelMessage.ts"
import type * as Policy from "./Policy.ts"

/** No person is known there to whom the caller may write. */
export class AddresseeUnknown extends Schema.TaggedError<AddresseeUnknown>()("AddresseeUnknown", {
  message: Schema.String
}) {}

/** Too many messages of the channel wait. */
export class MessagesFull extends Schema.TaggedError<MessagesFull>()("MessagesFull", {}) {
  override get message() {
    return "Too many messages of this channel wait to be written. Try again later"
  }
}

export interface Sending extends Send {
  /** The same for each attempt: one message is written. */
  readonly id: string
}

export type Refused = AddresseeUnknown | ChannelError | MessagesFull | StorageUnavailable

/** `owner`: whose people it may be. Returns the conversation in which it is written. */
export type SendMessage = (
  channel: Policy.Target,
  sending: Sending,
  owner: Owner.Owner
) => Effect.Effect<string, Refused>
