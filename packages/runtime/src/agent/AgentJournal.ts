// The journal of an agent's run: what a model asked for, what each call answered, and what people said in a pause. Played
// back it leaves a run as it was after its last finished step.
import { Json, Media, Message, Reasoning, Requirement, Run, ToolExecution, Usage } from "@svc/domain"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as StateChange from "../session/StateChange.ts"

/** What the requests of a run have cost and brought so far. */
export const Figures = Schema.Struct({
  usage: Usage.Counters,
  details: Usage.Details,
  time_to_first_token: Schema.optionalKey(Schema.Finite),
  /** Seconds that the run was executed. */
  elapsed: Schema.Finite,
  reasoning: Schema.String,
  reasoning_steps: Schema.Array(Reasoning.ReasoningStep),
  files: Schema.Array(Media.File),
  citations: Schema.optionalKey(Run.Citations)
})
export type Figures = typeof Figures.Type

const Call = Schema.Struct({ id: Schema.String, name: Schema.String, input: Schema.Json })

const state = {
  /** What has changed in the state of the session since the entry before. */
  state: Schema.optionalKey(StateChange.StateChange),
  /** The whole state, as earlier versions wrote it. */
  session_state: Schema.optionalKey(Json.Object)
}

/** A model has asked for calls. Before any of them is made. */
export const ModelTurn = Schema.Struct({
  kind: Schema.Literal("asked"),
  /** The messages before the model's: those that the run was opened with, or what was said to it since. */
  before: Schema.Array(Message.Message),
  /** What was thought before answering. */
  thoughts: Schema.Array(Message.Message),
  message: Message.Message,
  /** The model's own words, as its next request sends them back. */
  said: Prompt.Prompt,
  calls: Schema.Array(Call),
  /** Places of the calls that are made at once. Of the others a person has to say something first. */
  begun: Schema.Array(Schema.Natural),
  figures: Figures,
  ...state
})
export type ModelTurn = typeof ModelTurn.Type

/** One of the calls has answered. */
export const Answered = Schema.Struct({
  kind: Schema.Literal("answered"),
  call: Schema.Natural,
  message: Message.Message,
  tool: ToolExecution.ToolExecution,
  /** The run ends with this result. */
  is_last: Schema.Boolean,
  ...state
})
export type Answered = typeof Answered.Type

/** What a person said of a call that waited for one. */
export const Decision = Schema.Struct({
  call: Schema.Natural,
  confirmed: Schema.optionalKey(Schema.Boolean),
  note: Schema.optionalKey(Schema.String),
  /** What came of it: it is not made here. */
  result: Schema.optionalKey(Schema.String),
  /** As they are to be, where the person has changed or completed them. */
  tool_args: Schema.optionalKey(Schema.Json),
  user_input_schema: Schema.optionalKey(Schema.Json),
  /** Who has said it in the place of an approval. */
  resolved_by: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type Decision = typeof Decision.Type

export const DecisionsEntry = Schema.Struct({
  kind: Schema.Literal("resolved"),
  /** The attempt that goes on with it. In a later one it is not known any more whether the calls were made. */
  attempt: Schema.Natural,
  decisions: Schema.Array(Decision),
  requirements: Schema.Array(Requirement.Requirement),
  /** Said to the model beside the answers of its calls. */
  input: Schema.optionalKey(Schema.String),
  /** Of the run from here on. */
  metadata: Schema.optionalKey(Json.Object)
})
export type DecisionsEntry = typeof DecisionsEntry.Type

/** A run that continues another one begins with what was said in that. */
export const Based = Schema.Struct({
  kind: Schema.Literal("based"),
  messages: Schema.Array(Message.Message),
  tools: Schema.Array(ToolExecution.ToolExecution),
  /** What the new run says of where it comes from. */
  origin: Schema.Struct({
    forked_from_run_id: Run.Id,
    forked_from_message_index: Schema.Int,
    regenerated_from: Schema.optionalKey(Run.Id)
  })
})
export type Based = typeof Based.Type

export const Entry = Schema.Union([ModelTurn, Answered, DecisionsEntry, Based])
export type Entry = typeof Entry.Type

const codec = Schema.toCodecJson(Entry)
const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(codec))
const encodeEntry = Schema.encodeSync(codec)

/** What this service has written itself: that it cannot be read is a defect. */
export const decode = (entries: ReadonlyArray<Json.Object>) => decodeEntries(entries)
export const encode = (entry: Entry): Json.Object => encodeEntry(entry) as Json.Object

/** What has changed in the state of the session up to an entry. A whole state says nothing of what was removed. */
export const stateChangeOf = (entry: Entry): StateChange.StateChange | undefined => {
  if (entry.kind !== "asked" && entry.kind !== "answered") return undefined
  return entry.state ?? (entry.session_state === undefined ? undefined : { set: entry.session_state, removed: [] })
}
