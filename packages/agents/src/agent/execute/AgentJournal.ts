// The journal of an agent's run: model requests with calls, results of calls, and decisions. A replay restores the run
// after its last finished step.
import * as Json from "@svc-runtime/domain/Json"
import * as Media from "@svc-runtime/domain/Media"
import * as Message from "@svc-runtime/domain/Message"
import * as Reasoning from "@svc-runtime/domain/Reasoning"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as Usage from "@svc-runtime/domain/Usage"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import { OfferedBy } from "@svc-runtime/engine/tool/ToolSource"
import { Effect, Schema } from "effect"
import { Prompt } from "effect/ai"
import { StoredFailure } from "./hooks/HookFailure.ts"

/** The usage of a run so far. */
export const Figures = Schema.Struct({
  usage: Usage.Counters,
  details: Usage.Details,
  time_to_first_token: Schema.optionalKey(Schema.Finite),
  /** Seconds of execution. */
  elapsed: Schema.Finite,
  reasoning: Schema.String,
  reasoning_steps: Schema.Array(Reasoning.ReasoningStep),
  files: Schema.Array(Media.File),
  citations: Schema.optionalKey(Run.Citations)
})
export type Figures = typeof Figures.Type

const Call = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  input: Schema.Json,
  /** A decision is about this tool, and no other one of its name. Left out by earlier versions. */
  offered_by: Schema.optionalKey(OfferedBy)
})

/** Changes of the session state since the previous entry. */
const state = Schema.optionalKey(StateChange.StateChange)

/** Calls whose hooks were called, with what they have changed. */
const HookedCalls = Schema.Array(Schema.Struct({
  call: Schema.Natural,
  tool_args: Schema.optionalKey(Schema.Json),
  result: Schema.optionalKey(Schema.String)
}))

/** A model answer with calls, before they are executed. Stored journals have the kind `asked` for it. */
export const ModelTurn = Schema.Struct({
  kind: Schema.Literal("asked"),
  /** The messages before the model's answer: those of the start, or those added since. */
  before: Schema.Array(Message.Message),
  /** The reasoning before the answer. */
  thoughts: Schema.Array(Message.Message),
  message: Message.Message,
  /** The model's answer, in the form of its next request. */
  said: Prompt.Prompt,
  calls: Schema.Array(Call),
  /** Indexes of the calls that are executed at once. The others need a decision. */
  begun: Schema.Array(Schema.Natural),
  /** The answer was cut off at its token limit. */
  is_cut: Schema.optionalKey(Schema.Boolean),
  /** The arguments of the calls are as these hooks have left them. */
  hooked: Schema.optionalKey(HookedCalls),
  figures: Figures,
  state
})
export type ModelTurn = typeof ModelTurn.Type

/** The result of a call. */
export const Answered = Schema.Struct({
  kind: Schema.Literal("answered"),
  call: Schema.Natural,
  message: Message.Message,
  tool: ToolExecution.ToolExecution,
  /** Of the result. */
  media: Schema.optionalKey(Schema.Array(Media.File)),
  /** The run ends with this result. */
  is_last: Schema.Boolean,
  /** A hook has failed with the result, so the run ends when the other calls have ended. */
  failure: Schema.optionalKey(StoredFailure),
  state
})
export type Answered = typeof Answered.Type

/** A decision on a paused call. */
export const Decision = Schema.Struct({
  call: Schema.Natural,
  confirmed: Schema.optionalKey(Schema.Boolean),
  note: Schema.optionalKey(Schema.String),
  /** The result; the call is not executed. */
  result: Schema.optionalKey(Schema.String),
  /** Of the result, as base64. */
  media: Schema.optionalKey(Schema.Array(Media.File)),
  /** The arguments, if the person edited or completed them. Left out: they stay as they are. */
  tool_args: Schema.optionalKey(Schema.Json),
  user_input_schema: Schema.optionalKey(Schema.Json),
  /** The values of the person are for a call that has begun. */
  asked: Schema.optionalKey(ToolExecution.ToolQuestion),
  /** The person refuses to answer that call, and its function decides what follows. */
  declined: Schema.optionalKey(Schema.Literal(true)),
  /** The call was rejected when it had begun, and its outcome was not known. */
  outcome_unknown: Schema.optionalKey(Schema.Literal(true)),
  /** The caller whose decision replaces the approval. */
  resolved_by: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type Decision = typeof Decision.Type

export const DecisionsEntry = Schema.Struct({
  kind: Schema.Literal("resolved"),
  attempt: Schema.Natural,
  /** Decided `once` calls start after an entry that has them in `begun`. Left out: they start in this attempt only. */
  marks_begun: Schema.optionalKey(Schema.Boolean),
  /** Indexes of decided calls that start now. If they have no result, their outcome is unknown. */
  begun: Schema.optionalKey(Schema.Array(Schema.Natural)),
  decisions: Schema.Array(Decision),
  requirements: Schema.Array(Requirement.Requirement),
  /** Added for the model after the answers of its calls. */
  input: Schema.optionalKey(Schema.String),
  /** Of the input. */
  media: Schema.optionalKey(Media.Media),
  /** Of the run from here on. */
  metadata: Schema.optionalKey(Json.Object)
})
export type DecisionsEntry = typeof DecisionsEntry.Type

/**
 * What hooks have changed or answered before a run, or before calls with arguments of a person. A replay does not call
 * them again.
 */
export const Hooked = Schema.Struct({
  kind: Schema.Literal("hooked"),
  /** The input that the model gets. */
  input: Schema.optionalKey(Schema.Json),
  calls: Schema.optionalKey(HookedCalls)
})
export type Hooked = typeof Hooked.Type

/** A request of a tool to the model of the run. */
export const Sampled = Schema.Struct({
  kind: Schema.Literal("sampled"),
  model: Schema.Struct({ id: Schema.String, provider: Schema.String }),
  usage: Usage.Counters
})
export type Sampled = typeof Sampled.Type

/** The start of a run that continues another one: the copied messages. */
export const Based = Schema.Struct({
  kind: Schema.Literal("based"),
  messages: Schema.Array(Message.Message),
  tools: Schema.Array(ToolExecution.ToolExecution),
  /** The reference to the original run. */
  origin: Schema.Struct({
    forked_from_run_id: Run.Id,
    forked_from_message_index: Schema.Int,
    regenerated_from: Schema.optionalKey(Run.Id)
  })
})
export type Based = typeof Based.Type

export const Entry = Schema.Union([ModelTurn, Answered, DecisionsEntry, Hooked, Sampled, Based])
export type Entry = typeof Entry.Type

const codec = Schema.toCodecJson(Entry)
const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(codec))
const encodeEntry = Schema.encodeSync(codec)

const none: ReadonlyArray<Entry> = []

/** Of the run itself. Written by this service, so a decoding failure is a defect. */
export const decode = (entries: ReadonlyArray<Json.Object>) =>
  entries.length === 0 ? Effect.succeed(none) : decodeEntries(RunJournal.ownEntries(entries))
export const encode = (entry: Entry): Json.Object => encodeEntry(entry) as Json.Object

/** Changes of the session state up to an entry. */
export const stateChangeOf = (entry: Entry): StateChange.StateChange | undefined =>
  entry.kind === "asked" || entry.kind === "answered" ? entry.state : undefined
