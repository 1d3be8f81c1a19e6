// Runs that are cancelled while an MCP server does not respond, and a service as the MCP server of another one.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import { always, ask, at, list, run, runWhole, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"
import * as RawServer from "./RawServer.ts"

Tier.oneIn(2)

const fetch = { allowPrivate: true }

/** The run is cancelled while the server does not respond to the method. */
const cancelledDuring = Effect.fnUntraced(function*(method: string) {
  const begun = yield* Deferred.make<void>()
  const hang: RawServer.Answer = () => void Deferred.doneUnsafe(begun, Effect.void)
  const cancelled = yield* Deferred.make<unknown>()
  const mcp = yield* RawServer.listen({
    [method]: hang,
    "notifications/cancelled": (response, { params }) => {
      Deferred.doneUnsafe(cancelled, Effect.succeed(params["requestId"]))
      response.writeHead(202).end()
    }
  })
  const script = yield* Script.make([[Script.toolCall("echo", { text: "hi" })], [Script.text("Done")]])
  const source = McpTools.make({ name: "raw", url: mcp.url })
  const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [source] })], fetch })
  const fields = { message: "Hi", session_id: "s", run_id: "r", background: "true", stream: "false" }
  yield* run(server, "a", fields)
  yield* Deferred.await(begun)
  yield* ask(server, "/agents/a/runs/r/cancel?session_id=s", { method: "POST" })
  const { text } = yield* ask(server, "/agents/a/runs/r/events?session_id=s")
  return { cancelled, mcp, text }
})

describe("a run that is cancelled beside an MCP server", () => {
  it.effect("the run ends while a call is executed, and the server gets the id of the request", () =>
    Effect.gen(function*() {
      const { cancelled, mcp, text } = yield* cancelledDuring("tools/call")
      assert.include(text, `"event":"RunCancelled"`)
      const call = mcp.seen.find(({ method }) => method === "tools/call")
      assert.strictEqual(yield* Deferred.await(cancelled), call?.id)
    }))

  it.effect("the run ends while the list of tools is read", () =>
    Effect.gen(function*() {
      const { text } = yield* cancelledDuring("tools/list")
      assert.include(text, `"event":"RunCancelled"`)
    }))
})

describe("a service as the MCP server of another one", () => {
  it.live("the tools of the service are called over its own endpoint", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const call = Script.toolCall("far_run_agent", { agent_id: "plain", message: "hi" })
      const script = yield* Script.make([[call], [Script.text("Done")]])
      const source = McpTools.make({ name: "far", url: `${url}/mcp`, prefix: "far_", include: ["run_agent"] })
      const agent = Agent.make({ id: "a", model: script.model, tools: [source] })
      const { json } = yield* runWhole(yield* TestServer.make({ agents: [agent], fetch }), "a", { message: "Hi" })
      const [tool] = list(json, "tools")
      assert.strictEqual(at(tool, "tool_name"), "far_run_agent")
      assert.match(
        String(at(tool, "result")),
        /^Hello\.\n\{"run_id":"[^"]+","session_id":"[^"]+","status":"COMPLETED"\}$/
      )
      assert.strictEqual(at(json, "status"), "COMPLETED")
    }))

  it.live("the leader of a team has tool sources too, and its event has the name of one of a team", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Done"))
      const source = McpTools.make({ name: "gone", url: "http://127.0.0.1:9/mcp" })
      const team = Team.make({ id: "t", model, members: [Agent.make({ id: "m", model })], tools: [source] })
      const server = yield* TestServer.make({ teams: [team], fetch })
      const { text } = yield* ask(server, "/teams/t/runs", {
        method: "POST",
        body: new URLSearchParams({ message: "Hi", stream_events: "true" })
      })
      assert.include(text, `"event":"TeamToolSourceFailed"`)
      assert.include(text, "TeamRunCompleted")
    }))
})
