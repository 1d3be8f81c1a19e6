// The text of a workflow's agents on every wire, as raw bytes.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { reading } from "../sse/Reading.ts"
import { serve } from "../Wire.ts"

Tier.oneIn(3)

const user = { id: "m", role: "user", content: "go", parts: [{ type: "text", text: "go" }] }
const sent = { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] }

const wires = [
  { name: "AG-UI", path: "/workflows/flow/agui", body: { threadId: "s", runId: "r", messages: [user] } },
  { name: "the UI message stream", path: "/workflows/flow/chat", body: { id: "s", messages: [user] } },
  { name: "completions", path: "/v1/chat/completions", body: { model: "flow", stream: true, messages: [user] } },
  { name: "responses", path: "/v1/responses", body: { model: "flow", stream: true, input: "go" } },
  { name: "A2A", path: "/a2a/workflows/flow/message:stream", body: { message: sent } }
]

describe.each(wires)("the text of a step on $name", ({ body, path }) => {
  it.effect("the text of a step's agent is shown before the agent has ended, and once", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { model } = yield* Script.make([[Script.text("Camellia"), Script.wait(gate), Script.text(" sinensis")]])
      const agent = Agent.make({ id: "botanist", model })
      const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "name", agent })] })
      const server = yield* serve({ workflows: [flow] })
      const headers = { "content-type": "application/json", "a2a-version": "1.0" }
      const response = yield* server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) })
      const { rest, until } = reading(response)
      const before = yield* until("Camellia")
      assert.notInclude(before, "sinensis")
      yield* Deferred.succeed(gate, undefined)
      const text = before + (yield* rest)
      const deltas = text.split("\n").filter((line) => line.startsWith("data: {"))
        .map((line) => JSON.parse(line.slice("data: ".length)))
        .flatMap((event) => [
          ["TEXT_MESSAGE_CONTENT", "text-delta", "response.output_text.delta"].includes(event.type) ? event.delta : "",
          event.choices?.[0]?.delta?.content ?? "",
          event.artifactUpdate?.artifact.parts[0].text ?? ""
        ])
      assert.strictEqual(deltas.join(""), "Camellia sinensis")
    }))
})

describe("the session state of a workflow", () => {
  it.effect("changes of steps are shown: STATE_DELTA in AG-UI, and data-state in a chat", () =>
    Effect.gen(function*() {
      const flow = Workflow.make({
        id: "flow",
        steps: [
          Step.make({
            name: "count",
            run: ({ sessionState }) => {
              sessionState["count"] = 1
              return "counted"
            }
          })
        ]
      })
      const server = yield* serve({ workflows: [flow] })
      const post = (path: string, body: object) =>
        server.fetch(path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body)
        }).pipe(Effect.flatMap((response) => reading(response).rest))
      const agui = yield* post("/workflows/flow/agui", {
        threadId: "s",
        runId: "r",
        state: { count: 0 },
        messages: [user]
      })
      assert.include(agui, `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":1}]}`)
      const chat = yield* post("/workflows/flow/chat", { id: "t", messages: [user] })
      assert.include(chat, `{"type":"data-state","id":"state","data":{"count":1}}`)
    }))
})
