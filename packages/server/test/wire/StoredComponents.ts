// A service with stored components, and models that answer with the instructions of theirs.
import { assert } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { json } from "@svc-runtime/test-support/endpoints/Checked"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call } from "../authorization/Closed.ts"
import { send } from "../Wire.ts"

/** As configs name the scripted model. */
export const model = { id: "scripted", provider: "Scripted" }

/** Calls the tool `send` if the model has it, and then answers with the instructions: "First" or "Second". */
const turn = ({ prompt: { content }, tools }: Script.Call): ReadonlyArray<Script.Step> => {
  const isDone = content.some(({ role }) => role === "tool") || !tools.some(({ name }) => name === "send")
  const system = content.find(({ role }) => role === "system")
  const [answer = "none"] = /First|Second/.exec(String(system?.content)) ?? []
  return [isDone ? Script.text(answer) : Script.toolCall("send", {}, "call_1")]
}

/** What configs can name: a model, a tool that a person confirms, and a function. */
export const registry = Effect.map(
  Script.make(Array.from({ length: 100 }, () => turn)),
  (script): NonNullable<TestServer.Options["registry"]> => ({
    models: [script.model],
    tools: [Tool.make({ name: "send", approval: "required", execute: () => "sent" })],
    functions: { shout: ({ input }) => `${input}!` }
  })
)

export const workflow = {
  name: "Flow",
  steps: [{ name: "ask", agent_id: "host" }, { name: "shout", function: "shout" }]
}

const all: ReadonlyArray<readonly [path: string, body: object]> = [
  ["/agents", { name: "Host", model, instructions: "First" }],
  ["/agents", { name: "Asking", model, instructions: "First", tools: ["send"] }],
  ["/teams", { name: "Desk", model, instructions: "First", members: [{ type: "agent", agent_id: "host" }] }],
  ["/workflows", workflow]
]

/**
 * The agents `host` and `asking`, whose tool a person confirms, the team `desk` and the workflow `flow`: they answer
 * with "First".
 */
export const seed = Effect.fnUntraced(function*(server: TestServer.TestServer, bearer?: string) {
  for (const [path, body] of all) {
    const { status, text } = yield* call(server, { path, init: json("POST", body) }, bearer)
    assert.strictEqual(status, 201, text)
  }
})

/** Makes a version that answers with "Second" the current one. */
export const publishSecond = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string) {
  const { status, text } = yield* send(server, "PATCH", path, { instructions: "Second" })
  assert.strictEqual(status, 200, text)
})
