// Access to tools: access control responds as for REST, the list shows what the caller
// may use, calls need the scopes of the REST routes, and no caller reaches data of another owner.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call as rest, closed, everything, mint, seed, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, failed, list, serve } from "../Wire.ts"
import { authorized, call, initialize, noRun, open, post, refused, request, type Session, toolNames } from "./Mcp.ts"

const lacks = (tool: string, scope: string) =>
  `Error calling tool '${tool}': Insufficient permissions. Required scope(s): ${scope}`

describe("access control", () => {
  it.effect("every message needs a credential", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      failed(yield* post(server, initialize()), 401, "UNAUTHENTICATED", "Authorization header missing")
      const session = yield* open(server, { bearer: yield* token("ann") })
      const { authorization: _, ...anonymous } = session.headers
      const answer = yield* post(server, request("tools/list"), { headers: anonymous })
      failed(answer, 401, "UNAUTHENTICATED", "Authorization header missing")
      assert.isNull(answer.headers.get("www-authenticate"))
      const wrong = { ...session.headers, ...authorized("svc_pat_0000") }
      failed(
        yield* post(server, request("tools/list"), { headers: wrong }),
        401,
        "UNAUTHENTICATED",
        "Invalid or expired service account token"
      )
    }))

  it.effect("a closed service does not check the host name", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = authorized(yield* token("ann"))
      const answer = yield* post(server, initialize(), { headers: { ...bearer, host: "agents.example.com" } })
      assert.strictEqual(answer.status, 200)
    }))

  it.effect("the security key allows every tool", () =>
    Effect.gen(function*() {
      const server = yield* serve({ authorization: { securityKey: "the-key" } })
      failed(yield* post(server, initialize()), 401, "UNAUTHENTICATED", "Authorization header required")
      assert.lengthOf(yield* toolNames(yield* open(server, { bearer: "the-key" })), 8)
    }))

  it.effect("a session belongs to the user who began it, and another user finds none", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run"))
      const ann = yield* open(server, { bearer: yield* token("ann", "sessions:read") })
      const bob: Session = { ...ann, headers: { ...ann.headers, ...authorized(yield* token("bob", "sessions:read")) } }
      const ids = (session: Session) =>
        Effect.map(
          call(session, "get_sessions"),
          (result) => column(at(result, "structuredContent", "data"), "session_id")
        )
      assert.deepStrictEqual(yield* ids(ann), ["anns"])
      const answer = yield* post(server, request("tools/list"), { headers: bob.headers })
      assert.strictEqual(answer.status, 404)
    }))
})

describe("tools/list shows what the caller may use", () => {
  it.effect.each<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>([
    [[], []],
    [["agents:read", "sessions:write", "nonsense"], []],
    [["config:read"], ["get_platform_config"]],
    [["system:read"], ["get_platform_config"]],
    [["agents:run"], ["run_agent", "continue_run", "cancel_run"]],
    [["agents:assistant:run"], ["run_agent", "continue_run", "cancel_run"]],
    [["workflows:run"], ["run_workflow", "continue_run", "cancel_run"]],
    [["teams:run"], ["run_team", "continue_run", "cancel_run"]],
    [["sessions:read"], ["get_sessions", "get_session_runs"]],
    [["platform:admin"], [
      "get_platform_config",
      "run_agent",
      "run_team",
      "run_workflow",
      "continue_run",
      "cancel_run",
      "get_sessions",
      "get_session_runs"
    ]]
  ])("a caller with %j sees the tools %j", ([scopes, tools]) =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      assert.deepStrictEqual(yield* toolNames(yield* open(server, { bearer: yield* token("ann", ...scopes) })), tools)
      const admin = yield* token("root", "platform:admin")
      const account = yield* mint(server, admin, {
        name: "bot",
        scopes: scopes.filter((scope) => scope !== "nonsense")
      })
      assert.deepStrictEqual(yield* toolNames(yield* open(server, { bearer: account.token })), tools)
    }))

  it.effect("a caller without required scopes sees every tool", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ authorization: { ...(yield* closed), enabled: false } })
      assert.lengthOf(yield* toolNames(yield* open(server, { bearer: yield* token("ann") })), 8)
    }))
})

describe("a call asks for the scope of its REST route", () => {
  it.effect.each<readonly [string, object, string]>([
    ["get_platform_config", {}, "config:read"],
    ["run_agent", { agent_id: "assistant", message: "hi" }, "agents:run"],
    ["run_agent", { agent_id: "unknown", message: "hi" }, "agents:run"],
    ["run_team", { team_id: "nothing", message: "hi" }, "teams:run"],
    ["run_workflow", { workflow_id: "nothing", message: "hi" }, "workflows:run"],
    ["continue_run", { run_id: "r", workflow_id: "nothing", session_id: "s" }, "workflows:run"],
    ["continue_run", { run_id: "r", agent_id: "assistant", session_id: "s" }, "agents:run"],
    ["cancel_run", { run_id: "r", agent_id: "assistant" }, "agents:run"],
    ["cancel_run", { run_id: "r", team_id: "t" }, "teams:run"],
    ["cancel_run", { run_id: "r", workflow_id: "w" }, "workflows:run"],
    ["get_sessions", {}, "sessions:read"],
    ["get_session_runs", { session_id: "anns" }, "sessions:read"]
  ])("a call of %s %j needs its scope: %s", ([tool, given, scope]) =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const others = everything.filter((held) => held !== scope)
      refused(
        yield* call(yield* open(server, { bearer: yield* token("ann", ...others) }), tool, given),
        lacks(tool, scope)
      )
      const admin = yield* token("root", "platform:admin")
      const account = yield* mint(server, admin, { name: "nearly", scopes: others })
      refused(yield* call(yield* open(server, { bearer: account.token }), tool, given), lacks(tool, scope))
    }))

  it.effect("a scope for one agent is enough for that one", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serveClosed(), { bearer: yield* token("ann", "agents:assistant:run") })
      const run = (agent_id: string) => call(session, "run_agent", { agent_id, message: "hi" })
      assert.strictEqual(at(yield* run("assistant"), "structuredContent", "status"), "COMPLETED")
      refused(yield* run("other"), lacks("run_agent", "agents:run"))
      refused(yield* run("unknown"), lacks("run_agent", "agents:run"))
    }))

  it.effect("get_platform_config shows only what the caller may read or run", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ids = Effect.fnUntraced(function*(...scopes: ReadonlyArray<string>) {
        const session = yield* open(server, { bearer: yield* token("ann", "config:read", ...scopes) })
        return column(at(yield* call(session, "get_platform_config"), "structuredContent", "agents"), "id")
      })
      assert.deepStrictEqual(yield* ids(), [])
      assert.deepStrictEqual(yield* ids("agents:other:read"), ["other"])
      assert.deepStrictEqual(yield* ids("agents:other:read", "agents:assistant:run"), ["assistant", "other"])
      assert.deepStrictEqual(yield* ids("agents:run"), ["assistant", "other"])
    }))
})

describe("whose things a tool touches", () => {
  const ranIn = (session: Session, args: object = {}) =>
    Effect.map(
      call(session, "run_agent", { agent_id: "assistant", message: "hi", ...args }),
      (result) => String(at(result, "structuredContent", "session_id"))
    )

  const ownerOf = Effect.fnUntraced(function*(server: TestServer.TestServer, id: string) {
    const found = yield* rest(server, { path: `/sessions/${id}` }, yield* token("root", "platform:admin"))
    return at(found.json, "user_id")
  })

  it.effect("a session belongs to its caller, whatever user the call names", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* open(server, { bearer: yield* token("ann", ...everything) })
      assert.strictEqual(yield* ownerOf(server, yield* ranIn(ann, { user_id: "bob" })), "ann")
      const account = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
      const bot = yield* open(server, { bearer: account.token })
      assert.strictEqual(yield* ownerOf(server, yield* ranIn(bot, { user_id: "bob" })), "sa:bot")
    }))

  it.effect("data of another owner is not found", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run"))
      const bob = yield* open(server, { bearer: yield* token("bob", ...everything) })
      const text = (tool: string, given: object) =>
        Effect.map(call(bob, tool, given), (result) => at(result, "content", 0, "text"))
      const shown = [
        yield* text("get_session_runs", { session_id: "anns", user_id: "ann" }),
        yield* text("get_session_runs", { session_id: "anns", run_id: "ann-1" }),
        yield* text("run_agent", { agent_id: "assistant", message: "hi", session_id: "anns" }),
        yield* text("cancel_run", { agent_id: "assistant", run_id: "ann-1", session_id: "anns" }),
        yield* text("cancel_run", { agent_id: "assistant", run_id: "ann-1" })
      ]
      assert.deepStrictEqual(shown, [
        "Error calling tool 'get_session_runs': Session with ID anns not found",
        "Error calling tool 'get_session_runs': Session with ID anns not found",
        "Error calling tool 'run_agent': Session with id 'anns' not found",
        `Error calling tool 'cancel_run': ${noRun("ann-1")}`,
        "Error calling tool 'cancel_run': session_id is required for this action"
      ])
      const sessions = yield* call(bob, "get_sessions", { user_id: "ann" })
      assert.deepStrictEqual(list(sessions, "structuredContent", "data"), [])
    }))

  it.effect("an admin reads the data of every user", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run"))
      const admin = yield* open(server, { bearer: yield* token("root", "platform:admin") })
      const runs = yield* call(admin, "get_session_runs", { session_id: "anns", user_id: "ann" })
      assert.deepStrictEqual(column(at(runs, "structuredContent", "result"), "run_id"), ["ann-1"])
    }))
})
