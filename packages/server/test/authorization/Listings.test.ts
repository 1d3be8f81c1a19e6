// Scopes of one agent: what can be listed, read and run with them, and what mapping routes elsewhere does to that.
import { assert, describe, it } from "@effect/vitest"
import type { ScopeMappings } from "@svc-runtime/http/authorization/ScopeMappings"
import { Route } from "@svc-runtime/server"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { at, column, failed } from "../Wire.ts"
import { call, closed, mint, serveClosed, token } from "./Closed.ts"

Tier.oneIn(2)

const list = Effect.fnUntraced(function*(server: TestServer.TestServer, ...scopes: ReadonlyArray<string>) {
  return yield* call(server, { path: "/agents" }, yield* token("ann", ...scopes))
})

const run = (agent: string) => ({
  path: `/agents/${agent}/runs`,
  init: { method: "POST", body: new URLSearchParams({ message: "hi", stream: "false" }) }
})

describe("GET /agents", () => {
  it.effect.each<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>([
    [["agents:read"], ["assistant", "other"]],
    [["agents:*:read"], ["assistant", "other"]],
    [["platform:admin"], ["assistant", "other"]],
    [["agents:other:read"], ["other"]],
    [["agents:other:read", "agents:assistant:read"], ["assistant", "other"]],
    [["agents:gone:read"], []],
    [["agents:gone:read", "agents:other:read", "agents:assistant:run"], ["other"]]
  ])("a caller with %j sees %j", ([scopes, ids]) =>
    Effect.gen(function*() {
      const answer = yield* list(yield* serveClosed(), ...scopes)
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(column(answer.json, "id"), ids)
    }))

  it.effect.each<ReadonlyArray<string>>([[], ["agents:run"], ["agents:other:run"], ["teams:other:read"]])(
    "a caller with %j is refused",
    (scopes) =>
      Effect.gen(function*() {
        const detail = "Insufficient permissions. Required scope(s): agents:read"
        failed(yield* list(yield* serveClosed(), ...scopes), 403, "FORBIDDEN", detail)
      })
  )

  it.effect("an account sees the agents of its scopes, too", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bot = yield* mint(server, yield* token("root", "platform:admin"), {
        name: "bot",
        scopes: ["agents:other:read"]
      })
      assert.deepStrictEqual(column((yield* call(server, { path: "/agents" }, bot.token)).json, "id"), ["other"])
    }))
})

const quickPrompts = { assistant: ["What?"], desk: ["Who?"], brief: ["How?"] }

describe("GET /config", () => {
  it.effect.each<readonly [ReadonlyArray<string>, ReadonlyArray<ReadonlyArray<string>>]>([
    [["platform:admin"], [["assistant", "other"], ["desk", "other"], ["brief", "other"]]],
    [["config:read"], [[], [], []]],
    [["config:read", "agents:read", "workflows:run"], [["assistant", "other"], [], ["brief", "other"]]],
    [["config:read", "agents:other:read", "teams:desk:run"], [["other"], ["desk"], []]]
  ])("a caller with %j sees the components that they may read or run", ([scopes, ids]) =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ settings: { quickPrompts } })
      const { json, status } = yield* call(server, { path: "/config" }, yield* token("ann", ...scopes))
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(["agents", "teams", "workflows"].map((kind) => column(at(json, kind), "id")), [...ids])
      const prompts = Object.keys(at(json, "chat", "quick_prompts") as object)
      assert.deepStrictEqual(prompts, ["assistant", "desk", "brief"].filter((id) => ids.flat().includes(id)))
    }))
})

describe("one agent", () => {
  it.effect("an agent is read by its own scope, and any other is refused, whether it exists or not", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = yield* token("ann", "agents:other:read", "agents:gone:read")
      const status = (path: string) => Effect.map(call(server, { path }, bearer), (answer) => answer.status)
      assert.strictEqual(yield* status("/agents/other"), 200)
      assert.strictEqual(yield* status("/agents/gone"), 404)
      assert.strictEqual(yield* status("/agents/assistant"), 403)
      assert.strictEqual(yield* status("/agents/never"), 403)
      assert.strictEqual(yield* status("/agents/%6Fther"), 200, "however it is spelled")
      assert.strictEqual(yield* status("/agents/%61ssistant"), 403, "however it is spelled")
      assert.strictEqual(yield* status("//agents//assistant/"), 403, "however it is spelled")
    }))

  it.effect("an agent is run by its own scope", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = yield* token("ann", "agents:other:run")
      assert.strictEqual((yield* call(server, run("other"), bearer)).status, 200)
      failed(yield* call(server, run("assistant"), bearer), 403, "FORBIDDEN", /Required scope\(s\): agents:run$/)
      failed(yield* call(server, { path: "/agents/other" }, bearer), 403, "FORBIDDEN", /agents:read$/)
    }))
})

describe("mapped routes", () => {
  const serveMapped = (scopeMappings: ScopeMappings, routes?: TestServer.Options["routes"]) =>
    Effect.flatMap(
      closed,
      (authorization) => serveClosed({ authorization: { ...authorization, scopeMappings }, routes })
    )

  it.effect("a mapped route of agents restricts access, and never extends it", () =>
    Effect.gen(function*() {
      const server = yield* serveMapped({
        "POST /agents/*/runs": ["robots:run"],
        "GET /agents/*": ["robots:read"],
        "GET /agents": ["robots:list"]
      })
      const [robots, agents, both] = [
        yield* token("ann", "robots:run", "robots:read", "robots:list"),
        yield* token("ann", "agents:run", "agents:read"),
        yield* token("ann", "robots:run", "robots:read", "robots:list", "agents:run", "agents:other:read")
      ]
      failed(yield* call(server, run("other"), robots), 403, "FORBIDDEN", "Access denied to run this agent")
      failed(
        yield* call(server, { path: "/agents/other" }, robots),
        403,
        "FORBIDDEN",
        "Access denied to read this agent"
      )
      failed(yield* call(server, { path: "/agents" }, robots), 403, "FORBIDDEN", /agents:read$/)
      failed(yield* call(server, run("other"), agents), 403, "FORBIDDEN", /Required scope\(s\): robots:run$/)
      failed(yield* call(server, { path: "/agents" }, agents), 403, "FORBIDDEN", /robots:list$/)
      assert.strictEqual((yield* call(server, run("other"), both)).status, 200)
      assert.strictEqual((yield* call(server, { path: "/agents/other" }, both)).status, 200)
      failed(
        yield* call(server, { path: "/agents/assistant" }, both),
        403,
        "FORBIDDEN",
        "Access denied to read this agent"
      )
      assert.deepStrictEqual(column((yield* call(server, { path: "/agents" }, both)).json, "id"), ["other"])
    }))

  it.effect("a mapped route of agents stays closed when it is opened", () =>
    Effect.gen(function*() {
      const server = yield* serveMapped({ "POST /agents/*/runs": [] })
      failed(
        yield* call(server, run("other"), yield* token("ann")),
        403,
        "FORBIDDEN",
        "Access denied to run this agent"
      )
      assert.strictEqual((yield* call(server, run("other"), yield* token("ann", "agents:run"))).status, 200)
    }))

  it.effect("mapped routes of other resources follow the mapping alone", () =>
    Effect.gen(function*() {
      const server = yield* serveMapped({
        "GET /models": [],
        "GET /sessions": ["notes:read"],
        "GET /config": ["a:b", "c:d"]
      })
      const status = Effect.fnUntraced(function*(path: string, ...scopes: ReadonlyArray<string>) {
        return (yield* call(server, { path }, yield* token("ann", ...scopes))).status
      })
      assert.strictEqual(yield* status("/models"), 200)
      assert.strictEqual((yield* call(server, { path: "/models" })).status, 401, "but only for authenticated callers")
      assert.strictEqual(yield* status("/sessions", "sessions:read"), 403)
      assert.strictEqual(yield* status("/sessions", "notes:read"), 200)
      assert.strictEqual(yield* status("/config", "a:b"), 403, "all of them are needed")
      assert.strictEqual(yield* status("/config", "a:b", "c:d"), 200)
    }))

  it.effect("a mapping of one path holds however the path is spelled", () =>
    Effect.gen(function*() {
      const server = yield* serveMapped({ "POST /agents/other/runs": ["agents:run", "finance:use"] })
      const bearer = yield* token("ann", "agents:run")
      assert.strictEqual((yield* call(server, run("assistant"), bearer)).status, 200)
      for (const agent of ["other", "%6Fther", "/other", "other/"]) {
        failed(yield* call(server, run(agent), bearer), 403, "FORBIDDEN", /finance:use/)
      }
    }))

  it.effect("a mapping replaces the scope of a route that a service adds, which needs authentication without a scope", () =>
    Effect.gen(function*() {
      const routes = Layer.mergeAll(
        HttpRouter.add("GET", "/reports/:id", HttpServerResponse.text("a report")),
        HttpRouter.add("GET", "/plain", HttpServerResponse.text("plain"))
      )
      const server = yield* serveMapped({ "GET /reports/{id}": ["reports:read"] }, [
        Route.layer(routes, { "GET /reports/:id": "reports:list", "GET /plain": "none" })
      ])
      assert.strictEqual((yield* call(server, { path: "/plain" })).status, 401)
      assert.strictEqual((yield* call(server, { path: "/plain" }, yield* token("ann"))).text, "plain")
      failed(yield* call(server, { path: "/reports/7" }, yield* token("ann")), 403, "FORBIDDEN", /reports:read$/)
      failed(yield* call(server, { path: "/%72eports/7" }, yield* token("ann")), 403, "FORBIDDEN", /reports:read$/)
      assert.strictEqual(
        (yield* call(server, { path: "/reports/7" }, yield* token("ann", "reports:read"))).text,
        "a report"
      )
    }))
})
