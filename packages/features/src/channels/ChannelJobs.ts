// The jobs of channels as they are enqueued: one at a time for a conversation, so that order is kept in it.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { Effect, Schema } from "effect"
import * as ChannelMessage from "./ChannelMessage.ts"
import type { Thread } from "./ChannelStore.ts"

const Payload = Schema.Struct({ channel: Schema.String, thread: Schema.String })

/** Handles the events of a conversation. */
export const threadShape = {
  name: "channel_thread",
  payload: Payload,
  isOnePerKey: true,
  maxAttempts: 20,
  timeout: "10 minutes"
} as const

/** Writes the replies of a conversation. */
export const replyShape = {
  name: "channel_reply",
  payload: Payload,
  isOnePerKey: true,
  maxAttempts: 40,
  timeout: "15 minutes"
} as const

/** Writes to people for the code of an author. */
export const messageShape = {
  name: "channel_message",
  payload: Schema.Struct({
    /** Left out: that of the conversation that has the session of the run, or the only one. */
    channel: Schema.optionalKey(Schema.String),
    /** Left out: the conversation that has the session of the run, or else its user. */
    to: Schema.optionalKey(ChannelMessage.To),
    /** Markdown. */
    text: ChannelMessage.Text,
    /** With the same key, one message is written. */
    key: Schema.optionalKey(Schema.String)
  }),
  maxAttempts: 20,
  timeout: "1 minute"
} as const

/** What tools, steps and hooks enqueue. */
export const message = JobKind.withoutHandler(messageShape)

export const keyOf = ({ channel, thread }: Thread): string => `${channel}/${thread}`

const thread = JobKind.withoutHandler(threadShape)
const reply = JobKind.withoutHandler(replyShape)

const jobOf = (kind: JobKind.JobKind<Thread>) => ({ channel, thread }: Thread) =>
  Effect.orDie(Jobs.newJob(kind, { channel, thread }, { key: keyOf({ channel, thread }) }))

export const threadJob = jobOf(thread)
export const replyJob = jobOf(reply)
