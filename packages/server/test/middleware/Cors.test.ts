// Calls from pages of other origins: an allowed one is named back to itself, `*` is dropped, and a
// foreign one gets no permission of any kind.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc/testing/TestServer"
import { Effect } from "effect"
import { ask, failed, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

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
      failed(yield* preflight(server, local), 405, "METHOD_NOT_ALLOWED")
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
      failed(answer, 405, "METHOD_NOT_ALLOWED")
      assert.deepStrictEqual(permissions(answer.headers), [])
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
