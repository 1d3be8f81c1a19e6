// What agents send is accepted by each kind of provider: after parallel calls, after broken ones, in later runs.
import { assert, describe, it } from "@effect/vitest"
import type * as Message from "@svc-runtime/domain/Message"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import type * as Script from "@svc-runtime/test-support/ScriptedModel"
import { reasoning, text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { run } from "./Harness.ts"

const models = [
  "openai:gpt-5",
  "openai-chat:gpt-5",
  "openai-compatible:qwen3",
  "anthropic:claude-sonnet-4-5",
  "google:gemini-2.5-pro",
  "google:gemini-3-pro-preview",
  "bedrock:amazon.nova-lite-v1:0",
  "groq:openai/gpt-oss-120b",
  "cerebras:gpt-oss-120b",
  "mistral:mistral-large-latest",
  "deepseek:deepseek-v4-flash",
  "moonshotai:kimi-k2-thinking"
]

const parameters = { type: "object", properties: { x: { type: "number" } }, required: ["x"] }
const look = Tool.make({ name: "look", effects: "read", parameters, execute: ({ x }) => `seen ${String(x)}` })

/** Two calls at once, one with a name that the model has invented, and one that is cut off. */
const broken: ReadonlyArray<Script.Turn> = [
  [reasoning("I look"), toolCall("look", { x: 1 }, "call_0"), toolCall("look", { x: 2 }, "call_0")],
  [toolCall("functions.look", { x: 1 }, "call_0"), toolCall("look", "{\"x\": ", "call:1")],
  [text("Done")]
]

const stored = (role: Message.Message["role"], fields: Partial<Message.Message>): Message.Message =>
  ({
    id: `message-${role}`,
    role,
    from_history: true,
    stop_after_tool_call: false,
    created_at: 0,
    ...fields
  }) as Message.Message

const history = [
  stored("user", { content: "look" }),
  stored("assistant", {
    reasoning_content: "I look",
    tool_calls: [{ id: "call_0", type: "function", function: { name: "functions.look", arguments: "{\"x\":1}" } }]
  }),
  stored("tool", { content: "There is no tool", tool_call_id: "call_0", tool_name: "functions.look" }),
  stored("assistant", { content: "Nothing there" })
]

describe.each(models)("%s", (as) => {
  it.effect("the requests of a run are accepted, also with a history of invented names and repeated ids", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [look], addHistoryToContext: true }, broken, { as, history })
      assert.deepStrictEqual([output.status, output.content], ["COMPLETED", "Done"])
    }))

  it.effect("the requests of an agent without tools are accepted after calls", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ addHistoryToContext: true }, [[text("Done")]], { as, history })
      assert.deepStrictEqual([output.status, output.content], ["COMPLETED", "Done"])
    }))
})

it("an unknown choice of the reasoning that is sent back is refused", () => {
  const modelSettings = { sendReasoning: "all" as "run" }
  assert.throws(
    () => Agent.make({ id: "agent", modelSettings }),
    "Agent 'agent': modelSettings: sendReasoning must be one of run, calls, none, not all"
  )
})
