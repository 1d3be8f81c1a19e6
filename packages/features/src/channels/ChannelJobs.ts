// The jobs of channels as they are enqueued: one at a time for a conversation, so that order is kept in it.
import * as Run from "@svc-runtime/domain/Run"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { Effect, Schema } from "effect"
import * as ChannelMessage from "./ChannelMessage.ts"
import { Lane, type Reply } from "./ChannelRows.ts"
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

const Replies = Schema.Struct({ ...Payload.fields, lane: Lane })
export type Replies = typeof Replies.Type

export const laneOf = ({ run, text }: Pick<Reply, "run" | "text">): Lane =>
  run === null || text !== null ? "texts" : "runs"

/** Writes the replies of a conversation. */
export const replyShape = {
  name: "channel_reply",
  payload: Replies,
  isOnePerKey: true,
  maxAttempts: 40,
  timeout: "15 minutes"
} as const

const PausedRun = Schema.Struct({ ...Payload.fields, run_id: Run.Id })
export type PausedRun = typeof PausedRun.Type

/** Looks whether a paused run that a conversation shows is decided elsewhere. Its key is the id of the run. */
export const pauseShape = {
  name: "channel_pause",
  payload: PausedRun,
  isOnePerKey: true,
  maxAttempts: 20,
  timeout: "1 minute"
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
const pause = JobKind.withoutHandler(pauseShape)

export const threadJob = ({ channel, thread: of }: Thread) =>
  Effect.orDie(Jobs.newJob(thread, { channel, thread: of }, { key: keyOf({ channel, thread: of }) }))

/** The id of a channel has no space. */
export const replyJob = ({ channel, run, text, thread }: Pick<Reply, "channel" | "run" | "text" | "thread">) => {
  const lane = laneOf({ run, text })
  return Effect.orDie(Jobs.newJob(reply, { channel, thread, lane }, { key: `${lane} ${keyOf({ channel, thread })}` }))
}

export const pauseJob = ({ channel, run_id, thread }: PausedRun) =>
  Effect.orDie(Jobs.newJob(pause, { channel, thread, run_id }, { key: run_id }))
