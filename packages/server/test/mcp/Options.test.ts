// What an author chooses about the MCP server: tools of their own, tags, how runs are shown, and who may use it.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as CustomTool from "@svc-runtime/http/mcpTool/CustomTool"
import { type McpOptions, problemOf } from "@svc-runtime/http/mcpTool/McpOptions"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { agents, claims, closed, serveClosed, theIssuer, token } from "../authorization/Closed.ts"
import { at, failed, serve } from "../Wire.ts"
import { authorized, call, initialize, open, post, refused, send, toolNames } from "./Mcp.ts"

Tier.oneIn(6)

const greet = CustomTool.make({
  name: "greet",
  description: "Greets a user.",
  parameters: Schema.Struct({ greeting: Schema.String, user_id: Schema.optionalKey(Schema.String) }),
  readOnly: true,
  execute: ({ greeting, user_id }, { userId }) => ({
    text: `${greeting} ${user_id ?? "you"}`,
    same: user_id === userId
  })
})

const report = CustomTool.make({ name: "report", scope: "reports:read", execute: async () => "All is well." })

const broken = CustomTool.make({
  name: "broken",
  execute: () => {
    throw new Error("no luck")
  }
})

const options = (chosen: McpOptions) => ({ settings: { mcp: { enabled: true, options: chosen } } })

const serveWith = (chosen: McpOptions) =>
  Effect.gen(function*() {
    return yield* serve({ agents: yield* agents, ...options(chosen) })
  })

describe("tools of an author", () => {
  it.effect("a tool is listed beside the others, without the argument that the service fills", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serveWith({ tools: [greet] }))
      assert.lengthOf(yield* toolNames(session), 9)
      const { result } = yield* send(session, "tools/list")
      const listed = (at(result, "tools") as ReadonlyArray<{ readonly name: string }>).find(({ name }) =>
        name === "greet"
      )
      assert.deepStrictEqual(Object.keys(at(listed, "inputSchema", "properties") as object), ["greeting"])
      assert.strictEqual(at(listed, "description"), "Greets a user.")
      assert.strictEqual(at(listed, "annotations", "readOnlyHint"), true)
    }))

  it.effect("a token that is limited to a session has no tool of an author that does not admit it", () =>
    Effect.gen(function*() {
      const own = CustomTool.make({ name: "own", admitsSessionTokens: true, execute: async () => "Of the session." })
      const server = yield* serveClosed({ authorization: yield* closed, ...options({ tools: [greet, own] }) })
      const { sign } = yield* theIssuer
      const session = yield* open(server, {
        bearer: yield* sign({ ...claims("ann", ["platform:admin"]), session_id: "only" })
      })
      const names = yield* toolNames(session)
      assert.deepStrictEqual([names.includes("greet"), names.includes("own")], [false, true])
      refused(
        yield* call(session, "greet", { greeting: "Hi" }),
        "Error calling tool 'greet': This token is limited to a session"
      )
      assert.strictEqual(at(yield* call(session, "own", {}), "content", 0, "text"), "Of the session.")
    }))

  it.effect("the user is that of the credential, whatever the call says", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ authorization: yield* closed, ...options({ tools: [greet] }) })
      const session = yield* open(server, { bearer: yield* token("ann") })
      const result = yield* call(session, "greet", { greeting: "Hi", user_id: "bob" })
      assert.deepStrictEqual(at(result, "structuredContent"), { text: "Hi ann", same: true })
      assert.deepStrictEqual(at(result, "content"), [{ type: "text", text: "{\"text\":\"Hi ann\",\"same\":true}" }])
    }))

  it.effect("invalid arguments and an error of the code are results with an error", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ tools: [greet, broken] })
      const session = yield* open(server)
      const result = yield* call(session, "greet", { greeting: 1 })
      assert.strictEqual(at(result, "isError"), true)
      refused(yield* call(session, "broken"), "Error calling tool 'broken': no luck")
      assert.lengthOf(server.logs.filter(({ message }) => message === "The code of a tool threw"), 1)
    }))

  it.effect("a tool with a scope is listed for its holders, and a call of others names it", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ authorization: yield* closed, ...options({ tools: [report] }) })
      const holder = yield* open(server, { bearer: yield* token("ann", "reports:read") })
      assert.deepStrictEqual(yield* toolNames(holder), ["report"])
      assert.deepStrictEqual(at(yield* call(holder, "report"), "content"), [{ type: "text", text: "All is well." }])
      const other = yield* open(server, { bearer: yield* token("bob", "config:read") })
      assert.deepStrictEqual(yield* toolNames(other), ["get_platform_config"])
      refused(
        yield* call(other, "report"),
        "Error calling tool 'report': Insufficient permissions. Required scope(s): reports:read"
      )
    }))

  it("a tool takes what stands for one object, as the tools of agents do", () => {
    const item = { type: "object", properties: { item: { type: "string" } }, required: ["item"] }
    for (
      const parameters of [
        { $ref: "#/$defs/Item", $defs: { Item: item } },
        { $ref: "#/definitions/Item", definitions: { Item: item } },
        { anyOf: [item] }
      ]
    ) {
      const { descriptor } = CustomTool.make({ name: "buy", parameters, execute: () => 1 })
      assert.deepStrictEqual<unknown>(descriptor.inputSchema, item)
    }
    const { descriptor } = CustomTool.make({
      name: "buy",
      parameters: { properties: item.properties },
      execute: () => 1
    })
    assert.deepStrictEqual<unknown>(descriptor.inputSchema, { type: "object", properties: item.properties })
  })

  it("a tool that cannot be served is refused when it is made", () => {
    assert.throws(() => CustomTool.make({ name: "a b", execute: () => 1 }), /Tool name 'a b'/)
    assert.throws(
      () => CustomTool.make({ name: "list", parameters: Schema.Array(Schema.String), execute: () => 1 }),
      /must be one object/
    )
  })
})

describe("tags", () => {
  it.effect.each<readonly [McpOptions, ReadonlyArray<string>]>([
    [{ includeTags: ["session"] }, ["get_sessions", "get_session_runs"]],
    [{ excludeTags: ["core"] }, ["get_sessions", "get_session_runs"]],
    [{ includeTags: ["core", "session"], excludeTags: ["session"] }, [
      "get_platform_config",
      "run_agent",
      "run_team",
      "run_workflow",
      "continue_run",
      "cancel_run"
    ]],
    [{ includeTags: [], tools: [report] }, ["report"]],
    [{ builtInTools: false, tools: [report] }, ["report"]]
  ])("the options %j leave the tools %j", ([chosen, tools]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* toolNames(yield* open(yield* serveWith(chosen))), tools)
    }))

  it("options that cannot work are refused", () => {
    assert.match(problemOf({ includeTags: ["other" as never] }) ?? "", /no tag 'other'/)
    assert.match(problemOf({ builtInTools: false }) ?? "", /has no tools/)
    assert.match(problemOf({ tools: [report, report] }) ?? "", /Two tools for MCP have the name 'report'/)
    assert.isUndefined(problemOf({ builtInTools: false, tools: [report] }))
  })
})

describe("results of runs", () => {
  it.effect("the mode full shows the whole run", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serveWith({ resultMode: "full" }))
      const result = yield* call(session, "run_agent", { agent_id: "assistant", message: "hi", session_id: "s1" })
      assert.deepStrictEqual(at(result, "content"), [{ type: "text", text: "Hello." }])
      assert.strictEqual(at(result, "structuredContent", "content"), "Hello.")
      assert.strictEqual(at(result, "structuredContent", "agent_id"), "assistant")
    }))
})

describe("authorize", () => {
  it.effect("a user who is not authorized gets a 401 before anything else", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({
        authorization: yield* closed,
        ...options({ authorize: async (userId) => userId === Ids.UserId.make("ann") })
      })
      yield* open(server, { bearer: yield* token("ann") })
      const answer = yield* post(server, initialize(), { headers: authorized(yield* token("bob")) })
      assert.strictEqual(answer.status, 401)
      assert.deepStrictEqual(answer.json, { error: "unauthorized", detail: "Not authorized for the MCP server." })
      failed(yield* post(server, initialize()), 401, "UNAUTHENTICATED", "Authorization header missing")
    }))

  it.effect("code that throws admits no caller, and is logged", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({
        authorize: () => {
          throw new Error("no luck")
        }
      })
      assert.strictEqual((yield* post(server, initialize())).status, 401)
      assert.lengthOf(server.logs.filter(({ message }) => message === "authorize of the MCP server threw"), 1)
    }))
})
