// Stored components over MCP: found, run and continued like registered ones.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serveClosed, token } from "../authorization/Closed.ts"
import { at, column, list, serve } from "../Wire.ts"
import { publishSecond, registry, seed } from "../wire/StoredComponents.ts"
import { call, open, refused } from "./Mcp.ts"

const served = Effect.gen(function*() {
  const server = yield* serve({ registry: yield* registry })
  yield* seed(server)
  return { server, session: yield* open(server) }
})

const textOf = (result: unknown) => at(result, "content", 0, "text")

describe("stored components over MCP", () => {
  it.effect("each kind is run in its current version", () =>
    Effect.gen(function*() {
      const { server, session } = yield* served
      assert.strictEqual(textOf(yield* call(session, "run_agent", { agent_id: "host", message: "Hi" })), "First")
      assert.strictEqual(textOf(yield* call(session, "run_team", { team_id: "desk", message: "Hi" })), "First")
      assert.strictEqual(textOf(yield* call(session, "run_workflow", { workflow_id: "flow", message: "Hi" })), "First!")
      yield* publishSecond(server, "/agents/host")
      assert.strictEqual(textOf(yield* call(session, "run_agent", { agent_id: "host", message: "Hi" })), "Second")
      refused(
        yield* call(session, "run_agent", { agent_id: "gone", message: "Hi" }),
        "Error calling tool 'run_agent': Agent gone not found"
      )
    }))

  it.effect("a paused run is continued with the version of its start", () =>
    Effect.gen(function*() {
      const { server, session } = yield* served
      const paused = yield* call(session, "run_agent", { agent_id: "asking", message: "Hi", session_id: "s" })
      const { run_id } = at(paused, "structuredContent") as { readonly run_id: string }
      const [requirement] = list(paused, "structuredContent", "requirements")
      yield* publishSecond(server, "/agents/asking")
      const continued = yield* call(session, "continue_run", {
        run_id,
        session_id: "s",
        agent_id: "asking",
        requirements: [{ ...requirement as object, confirmation: true }]
      })
      assert.strictEqual(textOf(continued), "First")
    }))

  it.effect("get_platform_config shows them behind the registered ones, as they are now", () =>
    Effect.gen(function*() {
      const { server, session } = yield* served
      const config = Effect.map(call(session, "get_platform_config"), (result) => at(result, "structuredContent"))
      const before = yield* config
      const model = { id: "scripted", provider: "Scripted" }
      assert.deepStrictEqual(list(before, "agents"), [
        { id: "asking", name: "Asking", description: null, db_id: "main-db", model, metadata: null },
        { id: "host", name: "Host", description: null, db_id: "main-db", model, metadata: null }
      ])
      assert.deepStrictEqual(list(before, "teams"), [
        { id: "desk", name: "Desk", description: null, db_id: "main-db", mode: "coordinate", model }
      ])
      const shown = {
        id: "flow",
        name: "Flow",
        description: null,
        db_id: "main-db",
        is_factory: false,
        factory_input_schema: null,
        is_component: true,
        current_version: 1,
        stage: "published"
      }
      assert.deepStrictEqual(list(before, "workflows"), [shown])
      yield* server.fetch("/agents/asking", { method: "DELETE" })
      assert.deepStrictEqual(column(at(yield* config, "agents"), "id"), ["host"])
    }))

  it.effect("scopes of one component allow to run and to see that one", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ agents: [], teams: [], workflows: [], registry: yield* registry })
      yield* seed(server, yield* token("eve", "agents:write", "teams:write", "workflows:write"))
      const session = yield* open(server, { bearer: yield* token("ann", "config:read", "agents:host:run") })
      assert.strictEqual(textOf(yield* call(session, "run_agent", { agent_id: "host", message: "Hi" })), "First")
      refused(
        yield* call(session, "run_agent", { agent_id: "asking", message: "Hi" }),
        "Error calling tool 'run_agent': Insufficient permissions. Required scope(s): agents:run"
      )
      const config = at(yield* call(session, "get_platform_config"), "structuredContent")
      assert.deepStrictEqual(column(at(config, "agents"), "id"), ["host"])
      assert.deepStrictEqual([list(config, "teams"), list(config, "workflows")], [[], []])
    }))
})
