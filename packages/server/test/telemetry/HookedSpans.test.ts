// Spans of runs with hooks: they have texts only as the hooks have left them.
import { assert, describe, it } from "@effect/vitest"
import * as Guardrail from "@svc-runtime/agents/guardrail/Guardrail"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"

const secret = "ada@example.org"
const everywhere = ["input", "output", "results", "arguments"] as const

const turns = [
  [Script.text(`I look for ${secret}`), Script.toolCall("look", { at: secret })],
  [Script.text(`It is ${secret}`)]
]

const look = Tool.make({
  name: "look",
  effects: "read",
  parameters: { type: "object", properties: { at: { type: "string" } } },
  execute: () => `Found ${secret}`
})

const post = (server: TestServer.TestServer, path: string) =>
  server.fetch(`/${path}/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: `Who is ${secret}?`, stream: "false" })
  })

describe("spans of runs with hooks", () => {
  it.effect("a run of an agent has no text that a hook has masked, and the input and the answer as they were left", () =>
    Effect.gen(function*() {
      const sink = SpanSink.memory()
      const { model } = yield* Script.make(turns)
      const hooks = [Guardrail.pii({ on: everywhere })]
      const agent = Agent.make({ id: "a", model, tools: [look], hooks })
      const server = yield* TestServer.make({ agents: [agent], spans: sink })
      yield* post(server, "agents/a")
      assert.notInclude(JSON.stringify(sink.spans), secret)
      const root = sink.spans.find(({ name }) => name === "invoke_agent a")
      assert.deepInclude(root?.attributes, { "input.value": "Who is [EMAIL]?", "output.value": "It is [EMAIL]" })
    }))

  it.effect("a run of a team has no text that a hook of the team has masked", () =>
    Effect.gen(function*() {
      const sink = SpanSink.memory()
      const { model } = yield* Script.make(turns)
      const member = Agent.make({ id: "m", model })
      const team = Team.make({
        id: "t",
        model,
        members: [member],
        tools: [look],
        hooks: [Guardrail.pii({ on: everywhere })]
      })
      const server = yield* TestServer.make({ teams: [team], spans: sink })
      yield* post(server, "teams/t")
      assert.notInclude(JSON.stringify(sink.spans), secret)
      const root = sink.spans.find(({ name }) => name === "invoke_agent t")
      assert.strictEqual(root?.attributes["input.value"], "Who is [EMAIL]?")
    }))

  it.effect("the request of a judge has no texts in its span", () =>
    Effect.gen(function*() {
      const sink = SpanSink.memory()
      const { model } = yield* Script.make([
        [Script.text(`{"is_allowed": false, "topic": "${secret}"}`)]
      ])
      const agent = Agent.make({ id: "a", model, hooks: [Guardrail.topics({ allowed: ["trains"] })] })
      const server = yield* TestServer.make({ agents: [agent], spans: sink })
      yield* post(server, "agents/a")
      assert.notInclude(JSON.stringify(sink.spans), secret)
    }))
})
