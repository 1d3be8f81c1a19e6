// An MCP server that asks the user in the middle of a call: the run pauses with its form, as with any other pause.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { Route } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Context, Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as McpEndpoint from "../../src/mcp/McpEndpoint.ts"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import { ask, at, list, runWhole } from "../Wire.ts"

const path = "/asking"

const form = {
  type: "object",
  properties: {
    city: { type: "string", title: "City" },
    count: { type: "integer", minimum: 1 },
    size: { type: "string", enum: ["small", "large"], default: "small" }
  },
  required: ["city", "count"]
}

/** A server whose tool asks for a city first. */
const serving = Effect.gen(function*() {
  const seen: Array<unknown> = []
  const registrations = Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    yield* server.addTool({
      tool: new McpSchema.Tool({ name: "book", inputSchema: { type: "object", properties: {} } }),
      annotations: Context.empty(),
      handle: (given) =>
        Effect.gen(function*() {
          const { clientCapabilities, inputResponses, requestState } = yield* McpSchema.McpRequestContext
          seen.push({ given, inputResponses, requestState })
          if (clientCapabilities.elicitation === undefined) {
            return McpSchema.CallToolResult.make({ content: [{ type: "text", text: "no one can be asked" }] })
          }
          const answer = inputResponses?.["place"]
          return answer === undefined
            ? new McpSchema.InputRequired({
              inputRequests: {
                place: {
                  method: "elicitation/create",
                  params: { mode: "form", message: "Which\u001b city?", requestedSchema: form }
                } as McpSchema.McpInputRequest
              },
              requestState: "kept"
            })
            : McpSchema.CallToolResult.make({ content: [{ type: "text", text: `booked ${JSON.stringify(answer)}` }] })
        })
    })
  }))
  const routes = [
    Route.layer(McpEndpoint.layer({ path, registrations }), { [`POST ${path}`]: "none", [`DELETE ${path}`]: "none" })
  ]
  const { url } = yield* TestServer.listen({ routes })
  return { seen, url: `${url}${path}` }
})

const running = Effect.fnUntraced(function*(url: string, options: Partial<McpTools.Options> = {}) {
  const script = yield* Script.make([[Script.toolCall("book", { day: 1 }, "call_1")], [Script.text("Done")]])
  const source = McpTools.make({ name: "travel", url, ...options } as McpTools.Options)
  const agent = Agent.make({ id: "a", model: script.model, tools: [source] })
  const server = yield* TestServer.make({ agents: [agent], fetch: { allowPrivate: true } })
  const { json } = yield* runWhole(server, "a", { message: "Hi", session_id: "s", run_id: "r" })
  const go = (requirement: object) =>
    Effect.map(
      ask(server, "/agents/a/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", requirements: JSON.stringify([requirement]) })
      }),
      ({ json }) => json
    )
  return { paused: json, server, go }
})

const values = (given: object) => ({
  confirmed: true,
  user_input_schema: Object.entries(given).map(([name, value]) => ({ name, value }))
})

describe("a call that asks the user", () => {
  it.live("the run pauses with the form of the server, and the call continues with the values", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* serving
      const { go, paused } = yield* running(url)
      assert.strictEqual(at(paused, "status"), "PAUSED")
      const [requirement] = list(paused, "requirements")
      const tool = at(requirement, "tool_execution")
      assert.strictEqual(at(tool, "asked", "message"), "The MCP server travel asks: Which  city?")
      assert.deepStrictEqual(at(tool, "user_input_schema"), [
        { name: "city", field_type: "str", description: "City", value: null, required: true },
        { name: "count", field_type: "int", description: null, value: null, required: true },
        {
          name: "size",
          field_type: "str",
          description: null,
          value: "small",
          required: false,
          allowed_values: ["small", "large"]
        }
      ])
      const again = yield* go({ id: at(requirement, "id"), ...values({ city: "Bern", count: 0 }) })
      assert.strictEqual(at(again, "status"), "PAUSED")
      const [open] = list(again, "requirements").slice(-1)
      assert.match(String(at(open, "tool_execution", "asked", "message")), /did not fit: count: /)
      assert.lengthOf(seen, 1)
      const done = yield* go({ id: at(open, "id"), ...values({ city: "Bern", count: "2" }) })
      assert.strictEqual(at(done, "status"), "COMPLETED", JSON.stringify(done))
      const answer = { action: "accept", content: { city: "Bern", count: 2, size: "small" } }
      assert.deepStrictEqual(seen, [
        { given: { day: 1 }, inputResponses: undefined, requestState: undefined },
        { given: { day: 1 }, inputResponses: { place: answer }, requestState: "kept" }
      ])
      assert.strictEqual(at(list(done, "tools")[0], "result"), `booked ${JSON.stringify(answer)}`)
      assert.isUndefined(at(list(done, "tools")[0], "asked"))
    }))

  it.live("a rejection declines the question, and the result is what the server does then", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* serving
      const { go, paused } = yield* running(url)
      const done = yield* go({ id: at(list(paused, "requirements")[0], "id"), confirmed: false })
      assert.strictEqual(at(done, "status"), "COMPLETED")
      assert.deepStrictEqual(at(seen[1], "inputResponses"), { place: { action: "decline" } })
      assert.strictEqual(at(list(done, "tools")[0], "result"), `booked {"action":"decline"}`)
      assert.isFalse(at(list(done, "tools")[0], "tool_call_error"))
    }))

  it.live("a server is offered no questions with `elicitation: false`", () =>
    Effect.gen(function*() {
      const { url } = yield* serving
      const { paused } = yield* running(url, { elicitation: false })
      assert.strictEqual(at(list(paused, "tools")[0], "result"), "no one can be asked")
    }))
})
