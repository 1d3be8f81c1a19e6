// The options of a stored agent that are objects, or true for their defaults: what it remembers, learns and finds.
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import { optional } from "@svc-runtime/domain/schema/optional"
import { Schema } from "effect"
import * as LearningShape from "../learning/LearningShape.ts"
import * as ConfigResources from "./ConfigResources.ts"

const { Count, Model, Name, Text } = ConfigResources

const Mode = Schema.Literals(["agentic", "always", "propose"])

const switchable = <S extends Schema.Top>(options: S) => optional(Schema.Union([Schema.Boolean, options]))

export const fields = {
  memory: switchable(Schema.Struct({
    update: optional(Schema.Literals(["background", "inline", "off"])),
    tools: optional(Schema.Boolean),
    context: optional(Schema.Boolean),
    context_tokens: optional(Count),
    model: optional(Model),
    instructions: optional(Text)
  })),
  learning: switchable(Schema.Struct({
    types: optional(Schema.Array(Schema.Literals(LearningShape.types)).check(Schema.isMaxLength(100))),
    mode: optional(Schema.Union([Mode, Schema.Array(Mode).check(Schema.isMaxLength(3))])),
    namespace: optional(Name),
    context_tokens: optional(Count),
    model: optional(Model)
  })),
  session_summaries: switchable(Schema.Struct({
    after_runs: optional(Count),
    after_tokens: optional(Count),
    context: optional(Schema.Boolean),
    inline: optional(Schema.Boolean),
    model: optional(Model),
    instructions: optional(Text)
  })),
  summarize_history: switchable(Schema.Struct({
    after_runs: optional(Count),
    after_tokens: optional(Count),
    model: optional(Model),
    instructions: optional(Text)
  })),
  search_history: optional(Schema.Boolean),
  search_past_sessions: switchable(Schema.Struct({ sessions: optional(Count), runs: optional(Count) }))
}

const Features = Schema.Struct(fields)
type Features = typeof Features.Type

const given = <A extends object, B>(
  option: A | boolean | null | undefined,
  of: (option: A) => B
): B | boolean | undefined =>
  option === null || option === undefined || typeof option === "boolean" ? option ?? undefined : of(option)

type Options = Pick<
  Agent.Options,
  "learning" | "memory" | "searchHistory" | "searchPastSessions" | "sessionSummaries" | "summarizeHistory"
>

export const optionsOf = (
  { learning, memory, search_history, search_past_sessions, session_summaries, summarize_history }: Features,
  resources: ConfigResources.ConfigResources
): Options => ({
  memory: given(memory, ({ context, context_tokens, instructions, model, tools, update }) => ({
    update: update ?? undefined,
    tools: tools ?? undefined,
    context: context ?? undefined,
    contextTokens: context_tokens ?? undefined,
    model: resources.model(model, ["memory", "model"]),
    instructions: instructions ?? undefined
  })),
  learning: given(learning, ({ context_tokens, mode, model, namespace, types }) => ({
    types: types ?? undefined,
    mode: mode ?? undefined,
    namespace: namespace ?? undefined,
    contextTokens: context_tokens ?? undefined,
    model: resources.model(model, ["learning", "model"])
  })),
  sessionSummaries: given(session_summaries, ({ after_runs, after_tokens, context, inline, instructions, model }) => ({
    afterRuns: after_runs ?? undefined,
    afterTokens: after_tokens ?? undefined,
    context: context ?? undefined,
    inline: inline ?? undefined,
    model: resources.model(model, ["session_summaries", "model"]),
    instructions: instructions ?? undefined
  })),
  summarizeHistory: given(summarize_history, ({ after_runs, after_tokens, instructions, model }) => ({
    afterRuns: after_runs ?? undefined,
    afterTokens: after_tokens ?? undefined,
    model: resources.model(model, ["summarize_history", "model"]),
    instructions: instructions ?? undefined
  })),
  searchHistory: search_history ?? undefined,
  searchPastSessions: given(search_past_sessions, ({ runs, sessions }) => ({
    sessions: sessions ?? undefined,
    runs: runs ?? undefined
  }))
})
