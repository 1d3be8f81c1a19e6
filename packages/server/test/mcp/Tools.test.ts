// What each tool takes, gives and refuses, on an open service.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { always, at, column, get, keysOf, list, serve, uuid } from "../Wire.ts"
import { factoryOf, tenants } from "../wire/Factories.ts"
import { assistant, down } from "../wire/Fixtures.ts"
import { call, open, refused, send, toolNames } from "./Mcp.ts"
import { served, textOf } from "./ServedTools.ts"

Tier.oneIn(12)

describe("tools/list", () => {
  it.effect("tools/list lists all tools", () =>
    Effect.gen(function*() {
      const { session } = yield* served()
      assert.deepStrictEqual(yield* toolNames(session), [
        "get_platform_config",
        "run_agent",
        "run_team",
        "run_workflow",
        "continue_run",
        "cancel_run",
        "get_sessions",
        "get_session_runs"
      ])
    }))

  it.effect("input schemas forbid unknown arguments, and name the required ones", () =>
    Effect.gen(function*() {
      const { session } = yield* served()
      const tools = list(yield* send(session, "tools/list"), "result", "tools")
      for (const tool of tools) {
        assert.strictEqual(at(tool, "inputSchema", "type"), "object")
        assert.strictEqual(at(tool, "inputSchema", "additionalProperties"), false)
        assert.strictEqual(at(tool, "outputSchema", "type"), "object")
      }
      const required = tools.map((tool) => [at(tool, "name"), at(tool, "inputSchema", "required")])
      assert.deepStrictEqual(required, [
        ["get_platform_config", undefined],
        ["run_agent", ["agent_id", "message"]],
        ["run_team", ["team_id", "message"]],
        ["run_workflow", ["workflow_id", "message"]],
        ["continue_run", ["run_id"]],
        ["cancel_run", ["run_id"]],
        ["get_sessions", undefined],
        ["get_session_runs", ["session_id"]]
      ])
    }))

  it.effect("the annotations of a tool say what it changes", () =>
    Effect.gen(function*() {
      const { session } = yield* served()
      const tools = list(yield* send(session, "tools/list"), "result", "tools")
      const hints = tools.map((tool) => [at(tool, "name"), at(tool, "annotations", "readOnlyHint")])
      assert.deepStrictEqual(hints, [
        ["get_platform_config", true],
        ["run_agent", false],
        ["run_team", false],
        ["run_workflow", false],
        ["continue_run", false],
        ["cancel_run", false],
        ["get_sessions", true],
        ["get_session_runs", true]
      ])
    }))
})

describe("arguments", () => {
  it.effect.each<readonly [string, object, string]>([
    ["run_agent", {}, "arguments.agent_id: Field required; arguments.message: Field required"],
    ["run_agent", { agent_id: "plain", message: 5 }, "arguments.message: Input should be a valid string"],
    ["get_sessions", { limit: 0 }, "arguments.limit: Input should be greater than or equal to 1"],
    ["get_sessions", { limit: "20" }, "arguments.limit: Input should be a valid integer"],
    ["get_sessions", { session_type: "crew" }, "arguments.session_type: Input should be 'agent', 'team' or 'workflow'"],
    ["get_platform_config", { x: 1 }, "arguments.x: "],
    ["continue_run", { run_id: "r", requirements: [1] }, "arguments.requirements.0: Input should be a valid object"],
    ["cancel_run", { run_id: "r", run: "r" }, "arguments.run: "]
  ])("a call of %s with %j is refused with an error text", ([tool, given, text]) =>
    Effect.gen(function*() {
      const { session } = yield* served()
      const result = yield* call(session, tool, given)
      assert.isTrue(at(result, "isError"))
      assert.isUndefined(at(result, "structuredContent"))
      assert.isTrue(String(textOf(result)).startsWith(`Error calling tool '${tool}': ${text}`), String(textOf(result)))
    }))

  it.effect("null is the same as a missing argument", () =>
    Effect.gen(function*() {
      const { session } = yield* served()
      const nothing = { session_type: null, component_id: null, limit: null, page: null, db_id: null, user_id: null }
      const { content, structuredContent } = (yield* call(session, "get_sessions", nothing)) as Record<string, unknown>
      assert.deepStrictEqual(structuredContent, at(yield* call(session, "get_sessions"), "structuredContent"))
      assert.deepStrictEqual(JSON.parse(String(at(content, 0, "text"))), structuredContent)
    }))
})

describe("get_platform_config", () => {
  it.effect("get_platform_config shows the components, nulls kept, as text and as data", () =>
    Effect.gen(function*() {
      const { session } = yield* served((yield* assistant).agent)
      const result = yield* call(session, "get_platform_config")
      const model = { id: "scripted", provider: "Scripted" }
      const expected = {
        os_id: "svc",
        description: null,
        databases: ["main-db"],
        agents: [
          { id: "plain", name: "Plain", description: null, db_id: "main-db", model, metadata: null },
          {
            id: "assistant",
            name: "Assistant",
            description: "Answers questions",
            db_id: "main-db",
            model,
            metadata: null
          }
        ],
        teams: [],
        workflows: []
      }
      assert.deepStrictEqual(at(result, "structuredContent"), expected)
      assert.deepStrictEqual(JSON.parse(String(textOf(result))), expected)
    }))
})

describe("run_agent", () => {
  it.effect("run_agent waits for the answer, and names its run and session", () =>
    Effect.gen(function*() {
      const { server, session } = yield* served()
      const result = yield* call(session, "run_agent", { agent_id: "plain", message: "hi", user_id: "ann" })
      assert.deepStrictEqual(at(result, "content"), [{ type: "text", text: "Hello." }])
      const structured = at(result, "structuredContent") as Record<string, string>
      assert.deepStrictEqual(keysOf(structured), ["run_id", "session_id", "status"])
      assert.strictEqual(structured["status"], "COMPLETED")
      assert.match(structured["session_id"]!, uuid)
      const stored = yield* get(server, `/sessions/${structured["session_id"]}/runs/${structured["run_id"]}`)
      assert.strictEqual(at(stored.json, "content"), "Hello.")
      assert.strictEqual(at(stored.json, "user_id"), "ann")
    }))

  it.effect("run_agent continues a session, and creates a new one for an empty id", () =>
    Effect.gen(function*() {
      const { server, session } = yield* served()
      for (const message of ["one", "two"]) {
        yield* call(session, "run_agent", { agent_id: "plain", message, session_id: "s1" })
      }
      assert.deepStrictEqual(column((yield* get(server, "/sessions/s1/runs")).json, "run_input"), ["one", "two"])
      const other = yield* call(session, "run_agent", { agent_id: "plain", message: "three", session_id: "" })
      assert.match(String(at(other, "structuredContent", "session_id")), uuid)
    }))

  it.effect("run_agent returns structured output as JSON text, and takes structured input as that", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("{\"city\":\"Oslo\"}"))
      const agent = Agent.make({
        id: "typed",
        model,
        inputSchema: Schema.Struct({ country: Schema.String }),
        outputSchema: Schema.Struct({ city: Schema.String })
      })
      const { session } = yield* served(agent)
      const ask = (message: string) => call(session, "run_agent", { agent_id: "typed", message })
      assert.strictEqual(textOf(yield* ask("{\"country\":\"Norway\"}")), "{\"city\":\"Oslo\"}")
      for (const message of ["Norway", "{}"]) {
        const result = yield* ask(message)
        assert.isTrue(at(result, "isError"))
        assert.match(String(textOf(result)), /^Error calling tool 'run_agent': body\.message/)
      }
    }))

  it.effect("run_agent returns media with bytes as blocks of their own", () =>
    Effect.gen(function*() {
      const data = Buffer.from("not really a picture").toString("base64")
      const { model } = yield* always(
        Script.text("Here."),
        Script.part({ type: "file", mediaType: "image/png", data })
      )
      const { session } = yield* served(Agent.make({ id: "painter", model }))
      const result = yield* call(session, "run_agent", { agent_id: "painter", message: "draw" })
      assert.deepStrictEqual(at(result, "content"), [
        { type: "text", text: "Here." },
        { type: "image", data, mimeType: "image/png" }
      ])
    }))

  it.effect("run_agent says what is unknown, and what failed in the run", () =>
    Effect.gen(function*() {
      const { session } = yield* served((yield* down).agent)
      refused(
        yield* call(session, "run_agent", { agent_id: "unknown", message: "hi" }),
        "Error calling tool 'run_agent': Agent unknown not found"
      )
      const failed = yield* call(session, "run_agent", { agent_id: "down", message: "hi" })
      assert.isTrue(at(failed, "isError"))
      assert.isUndefined(at(failed, "structuredContent"))
      assert.match(String(textOf(failed)), /^Error calling tool 'run_agent': ./)
    }))

  it.effect("run_agent runs what a factory makes for the caller, who sends it no input", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const factory = yield* factoryOf((agent, { input, request, sessionId, userId }) => {
        seen.push([userId, sessionId, input, request?.headers["host"]])
        return agent
      })
      const session = yield* open(yield* serve({ agents: [factory, (yield* tenants).factory] }))
      const run = (agent_id: string) =>
        call(session, "run_agent", { agent_id, message: "hi", user_id: "ann", session_id: "s" })
      assert.deepStrictEqual(at(yield* run("made"), "content"), [{ type: "text", text: "Hello." }])
      assert.deepStrictEqual(seen, [["ann", "s", null, "localhost:7777"]])
      const refused = yield* run("tenant-assistant")
      assert.isTrue(at(refused, "isError"))
      assert.match(String(textOf(refused)), /^Error calling tool 'run_agent': factory_input /)
    }))

  it.effect("run_agent says what a run waits for that a person has to confirm", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.toolCall("pay", {}, "call_1"))
      const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
      const { session } = yield* served(Agent.make({ id: "buyer", model, tools: [pay] }))
      const result = yield* call(session, "run_agent", { agent_id: "buyer", message: "buy" })
      assert.isUndefined(at(result, "isError"))
      assert.match(String(textOf(result)), /pay/)
      assert.strictEqual(at(result, "structuredContent", "status"), "PAUSED")
      const [requirement, ...rest] = list(result, "structuredContent", "requirements")
      assert.deepStrictEqual(rest, [])
      assert.strictEqual(at(requirement, "tool_execution", "tool_name"), "pay")
      assert.isTrue(at(requirement, "tool_execution", "requires_confirmation"))
    }))

  it.effect("run_agent refuses a reserved user", () =>
    Effect.gen(function*() {
      const { session } = yield* served()
      refused(
        yield* call(session, "run_agent", { agent_id: "plain", message: "hi", user_id: "sa:bot" }),
        "Error calling tool 'run_agent': Client-supplied user_id may not claim a reserved principal"
      )
    }))
})

describe("cancel_run", () => {
  it.effect("cancel_run cancels a run, accepted or not yet", () =>
    Effect.gen(function*() {
      const { session } = yield* served()
      const result = yield* call(session, "cancel_run", { run_id: "r1", agent_id: "plain" })
      assert.deepStrictEqual(result, {
        content: [{ type: "text", text: "Run r1 cancellation requested" }],
        structuredContent: { result: "Run r1 cancellation requested" }
      })
    }))

  it.effect.each<readonly [object, string]>([
    [{}, "Provide exactly one of agent_id, team_id, or workflow_id"],
    [{ agent_id: "plain", team_id: "t" }, "Provide exactly one of agent_id, team_id, or workflow_id"],
    [{ agent_id: "unknown" }, "Agent unknown not found"],
    [{ team_id: "t" }, "Team t not found"],
    [{ workflow_id: "w" }, "Workflow w not found"]
  ])("the arguments %j are refused", ([component, text]) =>
    Effect.gen(function*() {
      const { session } = yield* served()
      refused(
        yield* call(session, "cancel_run", { run_id: "r1", ...component }),
        `Error calling tool 'cancel_run': ${text}`
      )
    }))
})
