// Calls from pages of other origins: an allowed one is named back to itself, `*` is dropped, and a
// foreign one gets no permission of any kind.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, failed, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

Tier.oneIn(6)

const local = "http://localhost:3000"
const ours = "https://console.example.com"

const from = (server: TestServer.TestServer, origin: string, path = "/health", init: RequestInit = {}) =>
  ask(server, path, { ...init, headers: { origin, ...init.headers } })

const permissions = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

const preflight = (server: TestServer.TestServer, origin: string, path = "/sessions") =>
  from(server, origin, path, {
    method: "OPTIONS",
    headers: {
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type, authorization"
    }
  })

describe("allowed origins", () => {
  it.effect("no origin is allowed by default", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      assert.deepStrictEqual(permissions((yield* from(server, local)).headers), [])
      failed(yield* preflight(server, local), 403, "FORBIDDEN")
    }))

  it.effect.each([ours])("the allowed origin %s is echoed, with credentials", (origin) =>
    Effect.gen(function*() {
      const { headers, status } = yield* from(yield* serve({ corsOrigins: [ours] }), origin)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("access-control-allow-origin"), origin)
      assert.strictEqual(headers.get("access-control-allow-credentials"), "true")
      assert.include(headers.get("vary") ?? "", "Origin")
    }))

  it.effect("a preflight of an allowed origin gets its permissions", () =>
    Effect.gen(function*() {
      const { headers, status, text } = yield* preflight(yield* serve({ corsOrigins: [ours] }), ours)
      assert.strictEqual(status, 204)
      assert.strictEqual(text, "")
      assert.strictEqual(headers.get("access-control-allow-origin"), ours)
      assert.strictEqual(headers.get("access-control-allow-credentials"), "true")
      assert.strictEqual(headers.get("access-control-allow-headers"), "content-type, authorization")
      for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
        assert.include(headers.get("access-control-allow-methods") ?? "", method)
      }
    }))

  it.effect("an allowed origin can read errors and streams too", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], corsOrigins: [ours] })
      const answers = [
        yield* from(server, ours, "/nope"),
        yield* from(server, ours, "/health", { method: "POST" }),
        yield* from(server, ours, "/sessions?limit=0"),
        yield* from(server, ours, "/sessions/none"),
        yield* from(server, ours, "/agents/plain/runs", {
          method: "POST",
          body: new URLSearchParams({ message: "hi" })
        })
      ]
      assert.deepStrictEqual(answers.map(({ status }) => status), [404, 405, 422, 404, 200])
      for (const { headers } of answers) assert.strictEqual(headers.get("access-control-allow-origin"), ours)
    }))
})

describe("foreign origins", () => {
  const foreign = [
    "https://evil.example",
    "null",
    "*",
    "http://localhost:3001",
    "https://localhost:3000",
    "http://localhost:3000.evil.example",
    "https://console.example.com.evil.example",
    "HTTPS://CONSOLE.EXAMPLE.COM"
  ]

  it.effect.each(foreign)("the foreign origin %s gets no permission", (origin) =>
    Effect.gen(function*() {
      const server = yield* serve({ corsOrigins: [ours] })
      for (const path of ["/health", "/nope", "/sessions?limit=0"]) {
        const { headers } = yield* from(server, origin, path)
        assert.deepStrictEqual(permissions(headers), [])
        assert.strictEqual(headers.get("vary"), "Origin")
      }
    }))

  it.effect.each(foreign)("the foreign origin %s is refused its preflight", (origin) =>
    Effect.gen(function*() {
      const answer = yield* preflight(yield* serve({ corsOrigins: [ours] }), origin)
      failed(answer, 403, "FORBIDDEN", /CORS_ORIGIN_LIST names the allowed origins$/)
      const isOrigin = URL.parse(origin)?.origin === origin
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), isOrigin ? origin : null)
      assert.isNull(answer.headers.get("access-control-allow-methods"))
      assert.strictEqual(answer.headers.get("vary"), "Origin")
    }))
})

describe("refused preflights", () => {
  it.effect("the log names each refused origin once, and not more than twenty", () =>
    Effect.gen(function*() {
      const server = yield* serve({ corsOrigins: [ours] })
      for (let port = 1; port <= 30; port++) {
        for (let time = 0; time < 2; time++) yield* preflight(server, `http://localhost:${port}`)
      }
      const logged = server.logs.filter(({ level }) => level === "WARN").map(({ annotations }) => annotations["origin"])
      assert.deepStrictEqual(logged, Array.from({ length: 20 }, (_, index) => `http://localhost:${index + 1}`))
    }))
})

describe("a service that is open and local", () => {
  const pages = ["http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]:8080", "https://localhost"]

  it.effect.each(pages)("pages of %s may call it without a setting", (origin) =>
    Effect.gen(function*() {
      const server = yield* serve({ hosts: [] })
      const host = "localhost:7777"
      const answer = yield* from(server, origin, "/sessions", {
        method: "OPTIONS",
        headers: { host, "access-control-request-method": "POST" }
      })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), origin)
      const made = yield* from(server, origin, "/sessions", {
        method: "POST",
        headers: { host, "content-type": "application/json" },
        body: "{}"
      })
      assert.notStrictEqual(made.status, 403)
      assert.strictEqual(made.headers.get("access-control-allow-origin"), origin)
    }))

  it.effect.each([
    "http://localhost.evil.test",
    "http://127.0.0.1.evil.test:3000",
    "http://evil.test/localhost",
    "null",
    "file://localhost",
    "http://localhost:99999999"
  ])("pages of %s may not", (origin) =>
    Effect.gen(function*() {
      const server = yield* serve({ hosts: [] })
      const headers = { host: "localhost:7777", "content-type": "application/json" }
      failed(yield* from(server, origin, "/sessions", { method: "POST", headers, body: "{}" }), 403, "FORBIDDEN")
    }))

  it.effect("a list of origins replaces those of this machine", () =>
    Effect.gen(function*() {
      const server = yield* serve({ hosts: [], corsOrigins: [ours] })
      const headers = { host: "localhost:7777", "content-type": "application/json" }
      const refused = yield* from(server, local, "/sessions", { method: "POST", headers, body: "{}" })
      failed(refused, 403, "FORBIDDEN", /CORS_ORIGIN_LIST/)
      assert.strictEqual(refused.headers.get("access-control-allow-origin"), local)
    }))
})

describe("no origin", () => {
  it.effect("a request without an origin gets no permission", () =>
    Effect.gen(function*() {
      const server = yield* serve({ corsOrigins: [ours] })
      const { headers } = yield* ask(server, "/health")
      assert.deepStrictEqual(permissions(headers), [])
      failed(yield* ask(server, "/health", { method: "OPTIONS" }), 405, "METHOD_NOT_ALLOWED")
    }))
})

describe("*", () => {
  it.effect("the origin * is dropped, because with credentials it would allow every page", () =>
    Effect.gen(function*() {
      const server = yield* serve({ corsOrigins: ["*", ours] })
      assert.deepStrictEqual(permissions((yield* from(server, "https://evil.example")).headers), [])
      assert.deepStrictEqual(permissions((yield* from(server, "*")).headers), [])
      assert.strictEqual((yield* from(server, ours)).headers.get("access-control-allow-origin"), ours)
    }))
})
