// The words of A2A 1.0, in which the service thinks about tasks. The other wires are translations of these values.
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import { DateTime, Schema } from "effect"

export const Role = Schema.Literals(["ROLE_USER", "ROLE_AGENT"])

export const State = Schema.Literals([
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED"
])
export type State = typeof State.Type

const text = Schema.optionalKey(Schema.String)

/** Exactly one of `text`, `raw`, `url` and `data`. */
export const Part = Schema.Struct({
  text,
  /** Base64. */
  raw: text,
  url: text,
  data: Schema.optionalKey(Json.InputValue),
  filename: text,
  mediaType: text,
  metadata: Schema.optionalKey(Json.Input)
})
export type Part = typeof Part.Type

export const Message = Schema.Struct({
  messageId: Schema.String,
  contextId: text,
  taskId: text,
  role: Role,
  parts: Schema.Array(Part),
  metadata: Schema.optionalKey(Json.Input),
  extensions: Schema.optionalKey(Schema.Array(Schema.String)),
  referenceTaskIds: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Message = typeof Message.Type

export interface Artifact {
  readonly artifactId: string
  readonly name?: string
  readonly description?: string
  readonly parts: ReadonlyArray<Part>
  readonly metadata?: Json.Object
}

export interface Status {
  readonly state: State
  readonly message?: Message
  /** ISO 8601 with milliseconds. */
  readonly timestamp: string
}

export interface Task {
  readonly id: string
  readonly contextId: string
  readonly status: Status
  readonly artifacts?: ReadonlyArray<Artifact>
  readonly history?: ReadonlyArray<Message>
  readonly metadata?: Json.Object
}

export interface StatusUpdate {
  readonly taskId: string
  readonly contextId: string
  readonly status: Status
  readonly metadata?: Json.Object
}

export interface ArtifactUpdate {
  readonly taskId: string
  readonly contextId: string
  readonly artifact: Artifact
  readonly append: boolean
  readonly lastChunk: boolean
}

/** One message of a stream, or of a push notification. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: StatusUpdate }
  | { readonly artifactUpdate: ArtifactUpdate }

const states: Readonly<Record<Run.Status, State>> = {
  PENDING: "TASK_STATE_SUBMITTED",
  RUNNING: "TASK_STATE_WORKING",
  COMPLETED: "TASK_STATE_COMPLETED",
  PAUSED: "TASK_STATE_INPUT_REQUIRED",
  CANCELLED: "TASK_STATE_CANCELED",
  ERROR: "TASK_STATE_FAILED",
  // its answer was given, and another run answers again
  REGENERATED: "TASK_STATE_COMPLETED"
}

export const stateOf = (status: Run.Status): State => states[status]

const statusesOf = (state: State): ReadonlyArray<Run.Status> =>
  (Object.keys(states) as ReadonlyArray<Run.Status>).filter((status) => states[status] === state)

/** The type of error of a run whose input a hook did not accept: its task is rejected. */
export const rejection = "input_check_error"

/** Which runs have tasks in a state. */
export interface RunsInState {
  readonly statuses: ReadonlyArray<Run.Status>
  /** Only with this type of error, or only with others. */
  readonly errorType?: { readonly type: string; readonly isMeant: boolean }
}

export const runsIn = (state: State): RunsInState => {
  if (state === "TASK_STATE_REJECTED") return { statuses: ["ERROR"], errorType: { type: rejection, isMeant: true } }
  const statuses = statusesOf(state)
  return state === "TASK_STATE_FAILED" ? { statuses, errorType: { type: rejection, isMeant: false } } : { statuses }
}

const ended: ReadonlySet<State> = new Set([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED"
])

export const isEnded = (state: State): boolean => ended.has(state)

/** A stream closes there. */
export const isSettled = (state: State): boolean =>
  isEnded(state) || state === "TASK_STATE_INPUT_REQUIRED" || state === "TASK_STATE_AUTH_REQUIRED"

export const timestamp = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))
