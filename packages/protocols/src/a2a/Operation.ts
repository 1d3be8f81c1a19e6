// What a request asks for, in the words of no particular wire.
import type * as Json from "@svc-runtime/domain/Json"
import type { Artifact, Message, State, Status, StreamResponse, Task } from "./Model.ts"

export interface PushConfig {
  readonly id?: string
  readonly url: string
  readonly token?: string
  readonly authentication?: { readonly scheme: string; readonly credentials?: string }
}

export interface StoredPushConfig extends PushConfig {
  readonly taskId: string
  readonly id: string
}

export interface Sending {
  readonly message: Message
  /** Of the request, beside that of its message. */
  readonly metadata?: Json.Object
  /** The response waits until the task has ended or needs input. */
  readonly isBlocking: boolean
  readonly historyLength?: number
  readonly push?: PushConfig
}

export interface ListQuery {
  readonly contextId?: string
  readonly status?: State
  readonly pageSize: number
  readonly pageToken?: string
  readonly historyLength?: number
  /** ISO 8601. */
  readonly statusTimestampAfter?: string
  readonly includeArtifacts: boolean
}

export type Operation =
  | { readonly _tag: "Send"; readonly sending: Sending }
  | { readonly _tag: "Stream"; readonly sending: Sending }
  | { readonly _tag: "Get"; readonly id: string; readonly historyLength?: number }
  | { readonly _tag: "List"; readonly query: ListQuery }
  | { readonly _tag: "Cancel"; readonly id: string }
  | { readonly _tag: "Subscribe"; readonly id: string }
  | { readonly _tag: "SetPush"; readonly taskId: string; readonly config: PushConfig }
  /** Without an id: the first one. */
  | { readonly _tag: "GetPush"; readonly taskId: string; readonly id?: string }
  | { readonly _tag: "ListPush"; readonly taskId: string }
  | { readonly _tag: "RemovePush"; readonly taskId: string; readonly id: string }
  | { readonly _tag: "Card" }

export interface TaskPage {
  readonly tasks: ReadonlyArray<Task>
  /** Empty on the last page. */
  readonly nextPageToken: string
  readonly pageSize: number
  readonly totalSize: number
}

/** The response to an operation that is no stream. */
export type Reply =
  | { readonly _tag: "Task"; readonly task: Task }
  | { readonly _tag: "Sent"; readonly task: Task }
  | { readonly _tag: "Page"; readonly page: TaskPage }
  | { readonly _tag: "Push"; readonly config: StoredPushConfig }
  | { readonly _tag: "Pushes"; readonly configs: ReadonlyArray<StoredPushConfig> }
  | { readonly _tag: "Card"; readonly card: Json.Object }
  | { readonly _tag: "Nothing" }

/** The names and shapes of one wire for the responses. */
export interface Wire {
  readonly reply: (reply: Reply) => Json.Value
  readonly item: (item: StreamResponse) => Json.Object
}

export type { Artifact, Message, Status, StreamResponse, Task }
