// Agents and models that several wire tests speak to.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { always } from "../Wire.ts"

export const lookup = Tool.make({
  name: "lookup",
  description: "Find a fact.",
  parameters: Schema.Struct({ query: Schema.String }),
  execute: ({ query }) => `fact about ${query}`
})

export const broken = Tool.make({
  name: "broken",
  execute: () => {
    throw new Error("no luck")
  }
})

export const used = Script.usage({ input: 10, output: 5 })

/** Scripted models cost nothing: the log has no warning about them. */
export const free = Prices.make([{ models: ["scripted"], input: 0, output: 0 }])

/** Asks for tools first and answers when it sees their results, in every run again. */
export const toolUser = (...calls: ReadonlyArray<Script.Step>) =>
  Script.make(
    Array.from(
      { length: 100 },
      () => ({ prompt }: Script.Call) =>
        prompt.content.at(-1)?.role === "tool" ? [Script.text("Tea is", " a leaf."), used] : [...calls, used]
    )
  )

/** The agent of the recorded responses: one tool, one call of it, an answer in two pieces. */
export const assistant = Effect.gen(function*() {
  const script = yield* toolUser(Script.toolCall("lookup", { query: "tea" }, "call_1"))
  const agent = Agent.make({
    id: "assistant",
    name: "Assistant",
    description: "Answers questions",
    instructions: "Be kind.",
    markdown: true,
    model: script.model,
    tools: [lookup]
  })
  return { script, agent }
})

export const plain = Effect.gen(function*() {
  const script = yield* always(Script.text("Hel", "lo."), used)
  return { script, agent: Agent.make({ id: "plain", name: "Plain", model: script.model }) }
})

/** The model of this one is down. */
export const down = Effect.gen(function*() {
  const script = yield* always(Script.fail("provider is down"))
  return { script, agent: Agent.make({ id: "down", name: "Down", model: script.model }) }
})

export const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
export const twice = { input_tokens: 20, output_tokens: 10, total_tokens: 30 }
export const details = (counters: object) => ({ model: [{ ...counters, id: "scripted", provider: "Scripted" }] })

/** A finished call of `lookup`, with every key that a call has. */
export const lookedUp = (createdAt: number) => ({
  tool_call_id: "call_1",
  tool_name: "lookup",
  tool_args: { query: "tea" },
  tool_call_error: false,
  result: "fact about tea",
  metrics: { start_time: createdAt, end_time: createdAt, duration: 0 },
  child_run_id: null,
  stop_after_tool_call: false,
  created_at: createdAt,
  requires_confirmation: null,
  confirmed: null,
  confirmation_note: null,
  requires_user_input: null,
  user_input_schema: null,
  user_feedback_schema: null,
  answered: null,
  external_execution_required: null,
  external_execution_silent: null,
  approval_type: null,
  approval_id: null
})
