// The port through which agents that are elsewhere are called. The server provides it, with its rules for addresses.
import * as Json from "@svc-runtime/domain/Json"
import type { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import { Context, Data, type Duration, type Effect, type Redacted, Schema } from "effect"

/** An agent of another service, as its author named it. */
export interface Remote {
  /** Of the agent that stands for it here. */
  readonly id: string
  readonly url: string
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, Redacted.Redacted>
  /** Origins beside that of `url` that get the headers. */
  readonly origins: ReadonlyArray<string>
  /** Of one answer. */
  readonly timeout: Duration.Duration
  /** The remote service answers a repeated message with the task that it has made. */
  readonly deduplicates: boolean
}

const text = Schema.optionalKey(Schema.String)

/** Exactly one of `text`, `raw` (base64), `url` and `data`. */
export const RemotePart = Schema.Struct({
  text,
  raw: text,
  url: text,
  data: Schema.optionalKey(Json.Value),
  filename: text,
  mediaType: text
})
export type RemotePart = typeof RemotePart.Type

export interface Outgoing {
  /** The same if the message is sent again. */
  readonly message_id: string
  readonly context_id?: string | undefined
  /** The task that the message answers. */
  readonly task_id?: string | undefined
  readonly parts: ReadonlyArray<RemotePart>
}

/** What a sent message began: a task, or an answer without one. It is the result of the call that sent it. */
export const Sent = Schema.Struct({
  message_id: Schema.String,
  task_id: text,
  context_id: text,
  parts: Schema.optionalKey(Schema.Array(RemotePart))
})
export type Sent = typeof Sent.Type

export interface RemoteTask {
  readonly message_id: string
  readonly task_id: string
}

/** How a task continued. Its text was shown before. */
export type Followed =
  | { readonly _tag: "Answered"; readonly files: ReadonlyArray<RemotePart> }
  | { readonly _tag: "Asks"; readonly question: string; readonly context_id: string | undefined }

/** The message is a sentence for the caller of the run. */
export class RemoteFailed extends Data.TaggedError("RemoteFailed")<{ readonly message: string }> {}

export class RemoteTasks extends Context.Service<RemoteTasks, {
  /**
   * Returns when the remote service has named its task, or has answered. A task that it names after the run was
   * cancelled is cancelled.
   */
  readonly send: (
    remote: Remote,
    message: Outgoing,
    isCancelled: () => boolean
  ) => Effect.Effect<Sent, OutcomeLost | RemoteFailed>
  /** Waits until the task has ended or asks something. It can be read again at any time. */
  readonly follow: (
    remote: Remote,
    task: RemoteTask,
    onText: (text: string) => Effect.Effect<void, RemoteFailed>
  ) => Effect.Effect<Followed, RemoteFailed>
  readonly cancel: (remote: Remote, task_id: string) => Effect.Effect<void, RemoteFailed>
}>()("@svc-runtime/agents/remote/RemoteTasks") {}

export const unavailable = new RemoteFailed({ message: "There is no service that calls remote agents" })
