// Every way to start a run needs the scope of runs of its component, also as the operator has mapped it. The ways are
// read out of the API and of the routes of protocols.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Agent from "@svc-runtime/features/Agent"
import type * as Schedule from "@svc-runtime/features/schedules/Schedule"
import type { ScopeMappings } from "@svc-runtime/http/authorization/ScopeMappings"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Protocols from "../../src/Protocols.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { at, failed, serve } from "../Wire.ts"
import { used } from "../wire/Fixtures.ts"
import { call, claims, closed, serveClosed, theIssuer, token } from "./Closed.ts"
import { endpoints, isServed } from "./Endpoints.ts"

Tier.oneIn(2)

const others = ["agents:read", "schedules:write", "schedules:read", "evals:write", "evals:read", "webhooks:write"]

/** A service whose operator wants more than `agents:run`. `starts` counts the calls of the model. */
const served = Effect.fnUntraced(function*(
  scopeMappings: ScopeMappings = { "POST /agents/*/runs": ["agents:run", "finance:run"] }
) {
  const seen = { calls: 0 }
  const answer = () => {
    seen.calls += 1
    return [Script.text("Hello."), used]
  }
  const { model } = yield* Script.make(Array.from({ length: 100 }, () => answer))
  const server = yield* serve({
    agents: [Agent.make({ id: "assistant", name: "assistant", model })],
    authorization: { ...(yield* closed), scopeMappings }
  })
  return { seen, server }
})

const sign = (...scopes: ReadonlyArray<string>) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign(claims("ann", [...others, ...scopes])))

const json = (path: string, body: object, version = "1.0") => ({
  path,
  init: {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": version },
    body: JSON.stringify(body)
  }
})

/** Paths of A2A that take JSON-RPC in version 0.3. */
const isOld = (path: string) => /^\/a2a\/(agents\/[^/]+|message\/\w+|agents\/[^/]+\/v1\/message:stream)$/.test(path)

/** One body for the requests of all protocols. */
const requestOf = (path: string, runId: string) => {
  const message = { id: "m", role: "user", content: "hi", parts: [{ text: "hi", kind: "text", type: "text" }] }
  const a2a = {
    ...message,
    messageId: runId,
    kind: "message",
    metadata: { agentId: "assistant" },
    agentId: "assistant"
  }
  const rpc = { jsonrpc: "2.0", id: 1, method: path.endsWith("stream") ? "message/stream" : "message/send" }
  return json(path, {
    ...(isOld(path) ? rpc : { id: runId }),
    params: { message: a2a },
    message: path.startsWith("/a2a") ? { messageId: runId, role: "ROLE_USER", parts: [{ text: "hi" }] } : "hi",
    messages: [message],
    threadId: runId,
    runId,
    ...(path.startsWith("/v1") ? { model: "assistant" } : {}),
    input: "hi",
    session_id: runId,
    stream: false
  }, path.includes("/v1/") || isOld(path) ? "0.3" : "1.0")
}

const paths = [
  ...Protocols.routesOf(defaultProtocols).filter(({ method }) => method === "POST").map(({ path }) => path),
  ...endpoints.filter(({ route, scope }) => route.startsWith("POST ") && scope === "agents:run").map(({ route }) =>
    route.slice("POST ".length)
  )
].filter((path) => !/\/(teams|workflows)\//.test(path)).map((path) =>
  path.replaceAll("::", "\0").replaceAll(
    /:(run_id|task|thread_?[Ii]d|response_?[Ii]d|id)\b/g,
    (name) => name === ":id" ? "assistant" : "none"
  ).replaceAll(/:\w+/g, "assistant").replaceAll("\0", ":")
)

/** The requests for which the model is called. */
const starting = Effect.fnUntraced(function*(server: TestServer.TestServer, seen: { calls: number }, bearer: string) {
  const started: Array<string> = []
  for (const [place, path] of paths.entries()) {
    const before = seen.calls
    yield* call(server, requestOf(path, `run-${place}`), bearer)
    if (seen.calls > before) started.push(path)
  }
  return started
})

const later = {
  "a schedule of runs": json("/schedules", {
    name: "s",
    cron_expr: "@yearly",
    endpoint: "/agents/assistant/runs",
    payload: { message: "hi" }
  }),
  "a schedule of a chat": json("/schedules", { name: "s", cron_expr: "@yearly", endpoint: "/agents/assistant/chat" }),
  "a schedule whose body names the component": json("/schedules", {
    name: "s",
    cron_expr: "@yearly",
    endpoint: "/v1/chat/completions",
    payload: { model: "assistant", messages: [{ role: "user", content: "hi" }] }
  }),
  "a schedule over MCP": json("/schedules", { name: "s", cron_expr: "@yearly", endpoint: "/mcp" }),
  "a schedule that makes a schedule": json("/schedules", {
    name: "s",
    cron_expr: "@yearly",
    endpoint: "/schedules",
    payload: { name: "t", cron_expr: "@yearly", endpoint: "/agents/assistant/runs" }
  }),
  "an evaluation": json("/eval-runs", { agent_id: "assistant", eval_type: "performance", input: "hi" }),
  "an experiment": json("/experiments", { dataset_id: "none", agent_id: "assistant", scorers: [{ type: "exact" }] })
}

/** What schedules may do. */
const ofSchedules = [
  ...["agents", "teams", "workflows"].flatMap((resource) => [`${resource}:run`, `${resource}:read`]),
  "schedules:read",
  "schedules:write",
  "schedules:delete"
]

/** Endpoints of protocols, each with the payload of a schedule. */
const ofProtocols: Readonly<Record<string, object>> = Object.fromEntries(
  Protocols.routesOf(defaultProtocols).filter(({ method, path }) =>
    method === "POST" && !/\/(teams|workflows)\//.test(path)
  ).map(({ path }) => [
    path.replaceAll("::", "\0").replaceAll(
      /\/:\w+/g,
      (_, at: number) => at === path.indexOf("/:") ? "/assistant" : "/x"
    )
      .replaceAll("\0", ":"),
    { model: "assistant" }
  ])
)

describe("the scope of runs", () => {
  it.effect("no request starts a run without the scopes of the route of runs, and each does with them", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* served()
      for (const scopes of [[], ["finance:run"], ["agents:run"], ["agents:other:run", "finance:run"]]) {
        assert.deepStrictEqual(yield* starting(server, seen, yield* sign(...scopes)), [], scopes.join())
      }
      const started = yield* starting(server, seen, yield* sign("agents:run", "finance:run"))
      assert.deepStrictEqual(started.toSorted(), [
        "/a2a/agents/assistant",
        "/a2a/agents/assistant/message:send",
        "/a2a/agents/assistant/message:stream",
        "/a2a/agents/assistant/v1/message:send",
        "/a2a/agents/assistant/v1/message:stream",
        "/a2a/message/send",
        "/a2a/message/stream",
        "/agents/assistant/agui",
        "/agents/assistant/chat",
        "/agents/assistant/runs",
        "/copilotkit/agent/assistant/run",
        "/v1/chat/completions",
        "/v1/responses"
      ])
    }))

  it.effect.each(Object.entries(later))("%s needs the scopes of what it does", ([, request]) =>
    Effect.gen(function*() {
      const { seen, server } = yield* served()
      for (const scopes of [[], ["finance:run"], ["agents:run"]]) {
        failed(yield* call(server, request, yield* sign(...scopes)), 403, "FORBIDDEN", /^Insufficient permissions/)
      }
      assert.strictEqual(seen.calls, 0)
      const all = yield* sign(...ofSchedules, "finance:run")
      assert.notStrictEqual((yield* call(server, request, all)).status, 403)
    }))

  it.effect("a schedule of a protocol needs the mappings of all that its body can do", () =>
    Effect.gen(function*() {
      const { server } = yield* served({
        "POST /agents/assistant/runs": ["agents:run", "x:start"],
        "POST /agents/assistant/runs/*/continue": ["agents:run", "x:continue"],
        "POST /agents/assistant/runs/*/cancel": ["agents:run", "x:cancel"]
      })
      const needed = ["x:start", "x:continue", "x:cancel"]
      for (const [place, [endpoint, payload]] of Object.entries(ofProtocols).entries()) {
        const request = json("/schedules", { name: `s${place}`, cron_expr: "@yearly", endpoint, payload })
        for (const missing of needed) {
          const bearer = yield* sign(...ofSchedules, ...needed.filter((scope) => scope !== missing))
          failed(yield* call(server, request, bearer), 403, "FORBIDDEN", new RegExp(`^Insufficient.*${missing}`))
        }
        const made = yield* call(server, request, yield* sign(...ofSchedules, ...needed))
        assert.strictEqual(made.status, 201, made.text)
      }
    }))

  it.effect("a schedule that makes schedules needs all that a schedule may do, however its route is mapped", () =>
    Effect.gen(function*() {
      const { server } = yield* served({ "POST /schedules": ["schedules:make"] })
      const request = later["a schedule that makes a schedule"]
      const runs = ["agents:run", "teams:run", "workflows:run"]
      failed(yield* call(server, request, yield* sign("schedules:make", ...runs)), 403, "FORBIDDEN", /schedules:delete/)
      failed(
        yield* call(server, request, yield* sign("schedules:make", ...ofSchedules.slice(1))),
        403,
        "FORBIDDEN",
        new RegExp(ofSchedules[0] ?? "")
      )
      const made = yield* call(server, request, yield* sign("schedules:make", ...ofSchedules))
      assert.strictEqual(made.status, 201, made.text)
    }))

  it.effect("a schedule is changed, enabled and triggered with the scopes of what it does", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* served()
      const made = yield* call(server, later["a schedule of runs"], yield* sign("agents:run", "finance:run"))
      const path = `/schedules/${String(at(made.json, "id"))}`
      const bearer = yield* sign("agents:run")
      const body = JSON.stringify({ description: "Mine" })
      const headers = { "content-type": "application/json" }
      for (const [method, end] of [["PATCH", ""], ["POST", "/enable"], ["POST", "/trigger"]] as const) {
        const answer = yield* call(server, { path: `${path}${end}`, init: { method, headers, body } }, bearer)
        failed(answer, 403, "FORBIDDEN", /finance:run/)
      }
      assert.strictEqual(seen.calls, 0)
      assert.strictEqual(
        (yield* call(server, { path: `${path}/disable`, init: { method: "POST" } }, bearer)).status,
        200
      )
    }))

  it.effect.each([
    { method: "PATCH", end: "", status: 403 },
    { method: "POST", end: "/enable", status: 403 },
    { method: "POST", end: "/trigger", status: 409 }
  ])(
    "$method of a schedule$end is refused if what it does changes meanwhile to what its caller may not do",
    ({ end, method, status }) =>
      Effect.gen(function*() {
        let another: Effect.Effect<unknown> = Effect.void
        const meanwhile = <A, E>(statement: Effect.Effect<A, E>) =>
          Effect.andThen(Effect.suspend(() => another), statement)
        const database = ({ scheduleRuns, schedules, ...rest }: Database): Database => {
          const to = (endpoint: string) => (schedule: Schedule.Schedule) => Effect.succeed({ ...schedule, endpoint })
          another = Effect.orDie(
            Effect.flatMap(schedules.list({ enabled: undefined }, { page: 1, limit: 1 }), ({ schedules: [found] }) =>
              found === undefined ? Effect.void : schedules.change(found.id, to("/agents/other/runs")))
          )
          return {
            ...rest,
            schedules: {
              ...schedules,
              change: (...given) =>
                meanwhile(schedules.change(...given))
            },
            scheduleRuns: {
              ...scheduleRuns,
              trigger: (...given) =>
                meanwhile(scheduleRuns.trigger(...given))
            }
          }
        }
        const server = yield* serveClosed({ database })
        const scopes = ["schedules:read", "schedules:write", "agents:assistant:run"]
        const bearer = yield* token("ann", ...scopes)
        const made = yield* call(server, later["a schedule of runs"], bearer)
        const path = `/schedules/${String(at(made.json, "id"))}`
        const headers = { "content-type": "application/json" }
        const body = JSON.stringify({ description: "Mine" })
        const answer = yield* call(server, { path: `${path}${end}`, init: { method, headers, body } }, bearer)
        assert.strictEqual(answer.status, status, answer.text)
        const stored = yield* call(server, { path }, bearer)
        assert.deepInclude(stored.json, { endpoint: "/agents/other/runs", description: null })
        const runs = yield* call(server, { path: `${path}/runs` }, bearer)
        assert.deepStrictEqual(at(runs.json, "data"), [])
      })
  )

  it.effect("lists of protocols name a component only to callers with the scopes of the route of its runs", () =>
    Effect.gen(function*() {
      const { server } = yield* served()
      for (const [scopes, isNamed] of [[["agents:run"], false], [["agents:run", "finance:run"], true]] as const) {
        const bearer = yield* sign(...scopes)
        const texts = yield* Effect.forEach(
          ["/v1/models", "/copilotkit/info"],
          (path) =>
            Effect.map(call(server, { path }, bearer), ({ status, text }) => [status, text.includes("assistant")])
        )
        assert.deepStrictEqual(texts, [[200, isNamed], [200, isNamed]])
        const one = yield* call(server, { path: "/v1/models/assistant" }, bearer)
        const none = yield* call(server, { path: "/v1/models/none" }, bearer)
        assert.deepStrictEqual([one.status, none.status], [isNamed ? 200 : 404, 404])
      }
    }))

  it.effect("a tool of MCP needs the scopes of the route of runs", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* served()
      const session = yield* Mcp.open(server, { bearer: yield* sign("agents:run") })
      const result = yield* Mcp.call(session, "run_agent", { agent_id: "assistant", message: "hi" })
      assert.strictEqual(at(result, "isError"), true)
      assert.include(JSON.stringify(result), "finance:run")
      assert.strictEqual(seen.calls, 0)
    }))

  it.effect("a token for one session makes nothing that acts in others", () =>
    Effect.gen(function*() {
      const { server } = yield* served()
      const issuer = yield* theIssuer
      const scopes = [...others, "agents:run", "finance:run", "teams:run", "workflows:run"]
      const bearer = yield* issuer.sign({ ...claims("ann", scopes), session_id: "claimed" })
      for (const request of Object.values(later)) {
        failed(yield* call(server, request, bearer), 403, "FORBIDDEN", /limited to a session/)
      }
    }))

  it.effect.runIf(isServed("POST /webhooks"))(
    "a token for one session neither makes nor changes a webhook",
    () =>
      Effect.gen(function*() {
        const { server } = yield* served()
        const issuer = yield* theIssuer
        const scopes = [...others, "agents:run"]
        const bearer = yield* issuer.sign({ ...claims("ann", scopes), session_id: "claimed" })
        const webhook = json("/webhooks", { url: "https://example.com/hook", events: ["run.completed"] })
        failed(yield* call(server, webhook, bearer), 403, "FORBIDDEN", /limited to a session/)
        const own = yield* call(server, webhook, yield* issuer.sign(claims("ann", scopes)))
        const path = `/webhooks/${String(at(own.json, "id"))}`
        const moved = { ...json(path, { url: "https://example.com/other" }) }
        for (
          const request of [
            { path, init: { ...moved.init, method: "PATCH" } },
            { path: `${path}/rotate-secret`, init: { method: "POST" } }
          ]
        ) failed(yield* call(server, request, bearer), 403, "FORBIDDEN", /limited to a session/)
      })
  )
})
