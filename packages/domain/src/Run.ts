// An agent's run: the response (`Output`, null keys left out), the record in lists (`Record`, null keys kept), and its
// status.
import { Schema, Struct } from "effect"
import { exact, UserId } from "./Ids.ts"
import * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import { Message } from "./Message.ts"
import { ModelSettings } from "./ModelSettings.ts"
import { ReasoningStep } from "./Reasoning.ts"
import { References } from "./Reference.ts"
import { Requirement } from "./Requirement.ts"
import { Status } from "./RunStatus.ts"
import { DateTime, EpochSeconds, toDateTime } from "./Time.ts"
import { ToolExecution } from "./ToolExecution.ts"
import { RunMetrics } from "./Usage.ts"

export const Id = Schema.String.check(exact).pipe(Schema.brand("RunId"))
export type Id = typeof Id.Type

export { hasEnded, isActive, isContinuable, Status } from "./RunStatus.ts"

export const Input = Schema.Struct({
  /** The text, or the object if the component has an input schema. */
  input_content: Schema.Json,
  ...Media.fields
}).annotate({ identifier: "RunInput" })
export type Input = typeof Input.Type

export const Citations = Schema.Struct({
  raw: Schema.optionalKey(Schema.Json),
  search_queries: Schema.optionalKey(Schema.Array(Schema.String)),
  urls: Schema.optionalKey(Schema.Array(Schema.Struct({
    url: Schema.String,
    title: Schema.optionalKey(Schema.String)
  }))),
  documents: Schema.optionalKey(Schema.Array(Schema.Struct({
    document_title: Schema.optionalKey(Schema.String),
    cited_text: Schema.optionalKey(Schema.String),
    file_name: Schema.optionalKey(Schema.String)
  })))
}).annotate({ identifier: "Citations" })
export type Citations = typeof Citations.Type

/** Why the last answer of the model ends before its end. */
export const FinishReason = Schema.Literals(["length", "content_filter"]).annotate({ identifier: "FinishReason" })
export type FinishReason = typeof FinishReason.Type

export const ContextTrimmed = Schema.Struct({
  messages: Schema.Natural,
  tool_results: Schema.Natural,
  /** Of results of tools. */
  media: Schema.optionalKey(Schema.Natural),
  is_summarized: Schema.optionalKey(Schema.Boolean)
})
  .annotate({ identifier: "TrimmedContext" })
export type ContextTrimmed = typeof ContextTrimmed.Type

export const Output = Schema.Struct({
  run_id: Id,
  agent_id: Schema.String,
  agent_name: Schema.optionalKey(Schema.String),
  session_id: Schema.String,
  user_id: Schema.optionalKey(UserId),
  parent_run_id: Schema.optionalKey(Id),
  /** The step of a workflow that executed it. */
  workflow_step_id: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.Json),
  /** `str` for text, the title of the schema for a typed answer, `dict` for an untyped schema. */
  content_type: Schema.String,
  model: Schema.optionalKey(Schema.String),
  model_provider: Schema.optionalKey(Schema.String),
  /** The settings of the requests to the model. */
  model_settings: Schema.optionalKey(ModelSettings),
  session_state: Schema.optionalKey(Json.Object),
  created_at: EpochSeconds,
  status: Status,
  metrics: Schema.optionalKey(RunMetrics),
  /** With the runs inside of it. Absent where it has none. */
  total_metrics: Schema.optionalKey(RunMetrics),
  messages: Schema.optionalKey(Schema.Array(Message)),
  metadata: Schema.optionalKey(Json.Object),
  tools: Schema.optionalKey(Schema.Array(ToolExecution)),
  /** The open and the decided requirements. */
  requirements: Schema.optionalKey(Schema.Array(Requirement)),
  /** The runs of components that are its tools, in the order of the calls. */
  member_responses: Schema.optionalKey(Schema.Array(Json.Object)),
  input: Schema.optionalKey(Input),
  reasoning_content: Schema.optionalKey(Schema.String),
  reasoning_steps: Schema.optionalKey(Schema.Array(ReasoningStep)),
  reasoning_messages: Schema.optionalKey(Schema.Array(Message)),
  references: Schema.optionalKey(Schema.Array(References)),
  citations: Schema.optionalKey(Citations),
  /** The messages that the last request to the model has left out. */
  context_trimmed: Schema.optionalKey(ContextTrimmed),
  /** Absent where the model came to the end of its answer. */
  finish_reason: Schema.optionalKey(FinishReason),
  followups: Schema.optionalKey(Schema.Array(Schema.String)),
  images: Schema.optionalKey(Schema.Array(Media.Image)),
  videos: Schema.optionalKey(Schema.Array(Media.Video)),
  audio: Schema.optionalKey(Schema.Array(Media.Audio)),
  files: Schema.optionalKey(Schema.Array(Media.File)),
  response_audio: Schema.optionalKey(Media.Audio),
  model_provider_data: Schema.optionalKey(Json.Object),
  last_checkpoint_at_message_index: Schema.optionalKey(Schema.Int),
  forked_from_run_id: Schema.optionalKey(Id),
  forked_from_message_index: Schema.optionalKey(Schema.Int),
  forked_from_session_id: Schema.optionalKey(Schema.String),
  regenerated_from: Schema.optionalKey(Id),
  /** Present in stored runs only, not in the response of the run itself. */
  events: Schema.optionalKey(Schema.Array(Json.Object))
}).annotate({ identifier: "RunOutput" })
export type Output = typeof Output.Type

/** The response to a background run. */
export const Accepted = Schema.Struct({
  run_id: Id,
  session_id: Schema.String,
  status: Schema.Literal("PENDING")
}).annotate({ identifier: "RunAccepted" })
export type Accepted = typeof Accepted.Type

/** An accepted run without output. */
export const running = (run: {
  readonly run_id: Id
  readonly component_id: string
  readonly session_id: string
  readonly user_id: UserId | null
  readonly created_at: EpochSeconds
  readonly input: Input
}): Output => ({
  run_id: run.run_id,
  agent_id: run.component_id,
  session_id: run.session_id,
  ...(run.user_id === null ? {} : { user_id: run.user_id }),
  content_type: "str",
  created_at: run.created_at,
  status: "RUNNING",
  input: run.input
})

const text = Schema.String

/** Clients of records decode nothing else. */
export const RecordContent = Schema.Union([Schema.String, Json.Object])

/** Where a run is in the tree of its session, in records of sessions. Runs inside of other runs have no place. */
export const Placed = {
  previous_run_id: Schema.optionalKey(Schema.NullOr(Id)),
  is_on_path: Schema.optionalKey(Schema.Boolean)
}

export const Record = Schema.Struct({
  run_id: Id,
  parent_run_id: text,
  agent_id: text,
  user_id: text,
  status: Status,
  run_input: text,
  content: RecordContent,
  run_response_format: Schema.Literals(["text", "json"]),
  reasoning_content: text,
  reasoning_steps: Schema.Array(ReasoningStep),
  metrics: RunMetrics,
  total_metrics: Schema.optionalKey(RunMetrics),
  messages: Schema.NullOr(Schema.Array(Message)),
  tools: Schema.NullOr(Schema.Array(ToolExecution)),
  events: Schema.NullOr(Schema.Array(Json.Object)),
  created_at: DateTime,
  references: Schema.Array(References),
  citations: Schema.NullOr(Citations),
  context_trimmed: Schema.optionalKey(ContextTrimmed),
  finish_reason: Schema.optionalKey(FinishReason),
  reasoning_messages: Schema.Array(Message),
  session_state: Schema.NullOr(Json.Object),
  images: Schema.Array(Media.Image),
  videos: Schema.Array(Media.Video),
  audio: Schema.Array(Media.Audio),
  files: Schema.Array(Media.File),
  response_audio: Schema.NullOr(Media.Audio),
  input_media: Schema.Struct({
    images: Schema.Array(Media.Image),
    videos: Schema.Array(Media.Video),
    audios: Schema.Array(Media.Audio),
    files: Schema.Array(Media.File)
  }),
  followups: Schema.NullOr(Schema.Array(Schema.String)),
  forked_from_run_id: Schema.NullOr(Id),
  forked_from_message_index: Schema.NullOr(Schema.Int),
  forked_from_session_id: Schema.NullOr(Schema.String),
  regenerated_from: Schema.NullOr(Id),
  ...Placed,
  last_checkpoint_at_message_index: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "RunRecord" })
export type Record = typeof Record.Type

/** The record with null keys left out, as in lists. The id of its component is always present. */
export const PartialRecord = Schema.Struct({ ...Struct.map(Record.fields, Schema.optionalKey), agent_id: text })
  .annotate({ identifier: "PartialRunRecord" })
export type PartialRecord = typeof PartialRecord.Type

/** A value as one text: strings unchanged, other values as JSON indented by two. */
export const textOf = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value, null, 2)

/** Other values than text and objects are text, as JSON. */
export const recordContent = (content: Json.Value | undefined): typeof RecordContent.Type =>
  Json.isObject(content) ? content : textOf(content ?? "")

export const inputText = (input: Input | undefined): string => input === undefined ? "" : textOf(input.input_content)

const orNull = <A>(value: A | undefined): A | null => value ?? null
const orNullWhenEmpty = <A>(values: ReadonlyArray<A> | undefined): ReadonlyArray<A> | null =>
  values === undefined || values.length === 0 ? null : values

export const toRecord = (run: Output): Record => ({
  run_id: run.run_id,
  parent_run_id: run.parent_run_id ?? "",
  agent_id: run.agent_id,
  user_id: run.user_id ?? "",
  status: run.status,
  run_input: inputText(run.input),
  content: recordContent(run.content),
  run_response_format: run.content_type === "str" ? "text" : "json",
  reasoning_content: run.reasoning_content ?? "",
  reasoning_steps: run.reasoning_steps ?? [],
  metrics: run.metrics ?? {},
  ...(run.total_metrics === undefined ? {} : { total_metrics: run.total_metrics }),
  messages: orNullWhenEmpty(run.messages),
  tools: orNullWhenEmpty(run.tools),
  events: orNullWhenEmpty(run.events),
  created_at: toDateTime(run.created_at),
  references: run.references ?? [],
  citations: orNull(run.citations),
  ...(run.context_trimmed === undefined ? {} : { context_trimmed: run.context_trimmed }),
  ...(run.finish_reason === undefined ? {} : { finish_reason: run.finish_reason }),
  reasoning_messages: run.reasoning_messages ?? [],
  session_state: orNull(run.session_state),
  images: run.images ?? [],
  videos: run.videos ?? [],
  audio: run.audio ?? [],
  files: run.files ?? [],
  response_audio: orNull(run.response_audio),
  input_media: {
    images: run.input?.images ?? [],
    videos: run.input?.videos ?? [],
    audios: run.input?.audios ?? [],
    files: run.input?.files ?? []
  },
  followups: orNull(run.followups),
  forked_from_run_id: orNull(run.forked_from_run_id),
  forked_from_message_index: orNull(run.forked_from_message_index),
  forked_from_session_id: orNull(run.forked_from_session_id),
  regenerated_from: orNull(run.regenerated_from),
  last_checkpoint_at_message_index: orNull(run.last_checkpoint_at_message_index)
})
