// Paths and methods: what is not there is 404, what is there under another method
// is 405 with the methods that work, both in the one error shape.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Route from "../../src/routes/Route.ts"
import { ask, at, failed, get, leak, notFound, post, serve } from "../Wire.ts"

Tier.oneIn(12)

const agents = [Agent.make({ id: "plain", model: "fixed" })]

describe("unknown routes", () => {
  it.effect.each([
    "/nope",
    "/agent",
    "/agents/plain/runs/r/x",
    "/sessions/a/b",
    "/api/agents",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/agents/..%2f..%2fsessions/runs/x/y",
    "/docs/other",
    "/HEALTH",
    "/Agents"
  ])("an unknown route %s is 404 Not Found", (path) =>
    Effect.gen(function*() {
      notFound(yield* get(yield* serve({ agents }), path), "Not Found")
    }))

  it.effect.each(["/agents/%zz", "/agents/%", "/sessions/%c3%28"])(
    "a path that is no text is 404: %s",
    (path) =>
      Effect.gen(function*() {
        const answer = yield* get(yield* serve({ agents }), path)
        assert.strictEqual(answer.status, 404)
        failed(answer, 404, "NOT_FOUND")
      })
  )
})

describe("near routes", () => {
  it.effect("an unknown route is Not Found as ever, and beside it stands the one that it is probably meant to be", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      for (
        const [method, path, near] of [
          ["POST", "/agents/plain/run", "POST /agents/plain/runs"],
          ["POST", "/agent/plain/runs?x=1", "POST /agents/plain/runs"],
          ["POST", "/factories/plain/runs", "POST /agents/plain/runs"],
          ["POST", "/api/agents/plain/generate", "POST /agents/plain/runs"],
          ["POST", "/api/v1/agents/plain/runs", "POST /agents/plain/runs"],
          ["POST", "/approvals/x/approve", "POST /approvals/x/resolve"],
          ["POST", "/chat/completions", "POST /v1/chat/completions"],
          ["GET", "/session/%22a%22", "GET /sessions/%22a%22"]
        ] as const
      ) {
        const answer = yield* ask(server, path, { method })
        failed(answer, 404, "NOT_FOUND", "Not Found")
        assert.strictEqual(
          at(answer.json, "hint"),
          `There is no route ${method} ${path.split("?")[0]}. Did you mean ${near}? GET /docs lists all routes.`
        )
      }
      const far = yield* get(server, "/nope")
      failed(far, 404, "NOT_FOUND", "Not Found")
      assert.strictEqual(at(far.json, "hint"), "There is no route GET /nope. GET /docs lists all routes.")
      const long = yield* get(server, `/agent/${"x".repeat(500)}`)
      assert.match(String(at(long.json, "hint")), /^There is no route GET \/agent\/x{393}…\. GET \/docs/)
      const known = yield* get(server, "/agents/%zz")
      failed(known, 404, "NOT_FOUND", "Not Found")
      assert.isUndefined(at(known.json, "hint"))
    }))

  it.effect("without documents no route of the author is named, and those of every service are", () =>
    Effect.gen(function*() {
      const routes = [
        Route.make({ method: "POST", path: "/backoffice/refunds", scope: "refunds:write", handle: () => ({}) })
      ]
      for (const docs of [true, false]) {
        const server = yield* serve({ agents, routes, settings: { docs } })
        const own = yield* post(server, "/backofice/refunds", {})
        failed(own, 404, "NOT_FOUND", "Not Found")
        const named = "There is no route POST /backofice/refunds. Did you mean POST /backoffice/refunds? " +
          "GET /docs lists all routes."
        assert.strictEqual(at(own.json, "hint"), docs ? named : undefined)
        assert.include(String(at((yield* get(server, "/agent")).json, "hint")), "Did you mean GET /agents?")
      }
    }))
})

const wrong: ReadonlyArray<readonly [method: string, path: string, allow: string]> = [
  ["POST", "/", "GET"],
  ["POST", "/health", "GET"],
  ["DELETE", "/info", "GET"],
  ["PUT", "/config", "GET"],
  ["PATCH", "/models", "GET"],
  ["PUT", "/agents", "GET, POST"],
  ["PUT", "/agents/plain", "GET, PATCH, DELETE"],
  ["DELETE", "/agents/plain/runs", "POST, GET"],
  ["PUT", "/sessions", "GET, POST, DELETE"],
  ["POST", "/sessions/a", "GET, PATCH, DELETE"],
  ["GET", "/sessions/a/rename", "POST"],
  ["PUT", "/sessions/a/", "GET, PATCH, DELETE"],
  ["POST", "/openapi.json", "GET"],
  ["POST", "/docs", "GET"],
  ["DELETE", "/redoc", "GET"]
]

describe("wrong methods", () => {
  it.effect.each(wrong)(
    "the method %s %s is 405, and the answer lists the allowed ones: %s",
    ([method, path, allow]) =>
      Effect.gen(function*() {
        const answer = yield* ask(yield* serve({ agents }), path, { method })
        failed(answer, 405, "METHOD_NOT_ALLOWED", "Method Not Allowed")
        assert.strictEqual(answer.headers.get("allow"), allow)
      })
  )

  it.effect("the paths of the documentation allow nothing without documentation", () =>
    Effect.gen(function*() {
      notFound(yield* ask(yield* serve({ settings: { docs: false } }), "/docs", { method: "POST" }), "Not Found")
    }))

  it.effect("the query of a path does not matter", () =>
    Effect.gen(function*() {
      failed(yield* ask(yield* serve(), "/health?x=/agents", { method: "POST" }), 405, "METHOD_NOT_ALLOWED")
    }))
})

describe("paths", () => {
  it.effect.each(["/health", "/info", "/config", "/agents", "/agents/plain", "/sessions", "/openapi.json"])(
    "a trailing slash changes nothing: %s",
    (path) =>
      Effect.gen(function*() {
        const server = yield* serve({ agents })
        const plain = yield* get(server, path)
        const slashed = yield* get(server, `${path}/`)
        assert.strictEqual(slashed.status, 200)
        assert.strictEqual(slashed.text, plain.text)
      })
  )

  it.effect("a trailing slash changes nothing where a body is sent", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      assert.strictEqual((yield* post(server, "/sessions/", { session_id: "s" })).status, 201)
      assert.strictEqual((yield* post(server, "/sessions/s/rename/", { session_name: "n" })).status, 200)
    }))

  it.effect("HEAD responds as GET does, without a body", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      const answer = yield* ask(server, "/agents", { method: "HEAD" })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text, "")
      assert.strictEqual((yield* ask(server, "/nope", { method: "HEAD" })).status, 404)
    }))

  it.effect("ids in paths are decoded, with any characters", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      for (const id of ["a/b", "ä ö", "a?b#c", "100%", "..", "日本", "'; drop table sessions; --"]) {
        assert.strictEqual((yield* post(server, "/sessions", { session_id: id })).status, 201)
        const answer = yield* get(server, `/sessions/${encodeURIComponent(id)}`)
        if (id === "..") continue
        assert.strictEqual(answer.status, 200, id)
        assert.include(answer.text, JSON.stringify(id))
        assert.notMatch(answer.text, leak)
      }
    }))

  it.effect("ids in paths are case-sensitive", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      yield* post(server, "/sessions", { session_id: "MiXed" })
      assert.strictEqual((yield* get(server, "/sessions/MiXed")).status, 200)
      notFound(yield* get(server, "/sessions/mixed"), "Session with id 'mixed' not found")
    }))

  it.effect("an id of any length is searched for", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      for (const length of [101, 512, 10_000]) {
        const id = "x".repeat(length)
        notFound(yield* get(server, `/sessions/${id}`), `Session with id '${id}' not found`)
        notFound(yield* get(server, `/agents/${id}`), "Agent not found")
        notFound(yield* get(server, `/agents/plain/runs/${id}?session_id=${id}`), "Run not found")
      }
    }))
})
