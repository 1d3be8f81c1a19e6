// Invalid credentials as raw bytes on a socket, because HTTP clients would normalize them.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { second } from "../Wire.ts"
import { agents, closed, token } from "./Closed.ts"

/** Sends one request as it is written here and gives the status and the body of the response. */
const send = (port: number, target: string, ...headers: ReadonlyArray<string>) =>
  Effect.callback<{ readonly status: number; readonly body: string }>((resume) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        [`${target} HTTP/1.1`, "host: svc.test", "connection: close", ...headers, "", ""].join("\r\n"),
        "latin1"
      )
    })
    socket.on("data", (chunk) => void (received += chunk.toString()))
    socket.on("error", () => undefined)
    socket.on("close", () => {
      const [head = "", body = ""] = received.split("\r\n\r\n")
      resume(Effect.succeed({ status: Number(head.split(" ")[1]), body }))
    })
    return Effect.sync(() => socket.destroy())
  })

const listen = Effect.gen(function*() {
  yield* TestClock.setTime(second * 1000)
  return yield* TestServer.listen({ agents: yield* agents, authorization: yield* closed })
})

const authorization = (value: string) => `authorization: ${value}`

describe("headers", () => {
  it.effect("a good credential in the headers is enough, however they are spelled", () =>
    Effect.gen(function*() {
      const { port } = yield* listen
      const good = yield* token("ann", "agents:read")
      for (const header of [`Bearer ${good}`, `bearer ${good}`, `BEARER \t ${good} `, good]) {
        assert.strictEqual((yield* send(port, "GET /agents", authorization(header))).status, 200)
      }
      assert.strictEqual((yield* send(port, "GET /agents", `AUTHORIZATION: Bearer ${good}`)).status, 200)
    }))

  it.effect("two credentials in the headers count as none, in either order", () =>
    Effect.gen(function*() {
      const { port } = yield* listen
      const good = authorization(`Bearer ${yield* token("ann", "agents:read")}`)
      const bad = authorization("Bearer x")
      for (const headers of [[good, bad], [bad, good], [good, good]]) {
        const { body, status } = yield* send(port, "GET /agents", ...headers)
        assert.strictEqual(status, 401)
        assert.match(body, /^\{"detail":"Invalid token: [^"]*","error_code":"UNAUTHENTICATED"\}$/)
      }
    }))

  it.effect("any other credential is refused with 401, in the error shape", () =>
    Effect.gen(function*() {
      const { port } = yield* listen
      const odd = [
        "Bearer",
        "Bearer ",
        "Basic YW5uOnNlY3JldA==",
        "Digest username=\"ann\"",
        "Bearer \xff\xfe\xfd",
        "Bearer a b c",
        "Bearer \u0007",
        ",",
        "Bearer null",
        "Bearer undefined",
        "Bearer ' or 1=1 --",
        "Bearer svc_pat_",
        "Bearer svc_pat_' or '1'='1",
        `Bearer ${"x".repeat(10_000)}`
      ]
      for (const value of odd) {
        const { body, status } = yield* send(port, "GET /agents", authorization(value))
        assert.oneOf(status, [400, 401], value)
        const { detail, error_code } = JSON.parse(body) as Record<string, string>
        assert.oneOf(error_code, ["UNAUTHENTICATED", "BAD_REQUEST"], value)
        assert.notInclude(detail ?? "", value.slice(7) || "nothing")
      }
    }))

  it.effect("headers that are too large are refused before they are read", () =>
    Effect.gen(function*() {
      const { port } = yield* listen
      const { body, status } = yield* send(port, "GET /agents", authorization(`Bearer ${"x".repeat(20_000)}`))
      assert.strictEqual(status, 413)
      assert.include(body, "PAYLOAD_TOO_LARGE")
    }))
})

describe("paths", () => {
  it.effect("no spelling of a path avoids access control", () =>
    Effect.gen(function*() {
      const { port } = yield* listen
      const targets = [
        "/health/../agents",
        "/health/..%2fagents",
        "/health%2f..%2fagents",
        "/./agents",
        "//agents",
        "/agents?/health",
        "/agents#/health",
        "/agents;/health",
        "/health%00/agents",
        "/%2e%2e/agents",
        "/AGENTS",
        "/agents%20",
        "/%",
        "/%zz",
        "/docs/../agents",
        "/docs/x",
        "/info/x",
        "http://svc.test/agents",
        "http://svc.test/health/../agents",
        "/openapi.json/agents"
      ]
      for (const target of targets) {
        const { body, status } = yield* send(port, `GET ${target}`)
        assert.strictEqual(status, 401, `${target}: ${body}`)
        assert.notInclude(body, "assistant", target)
      }
      for (const method of ["PUT", "PROPFIND", "TRACE", "QUERY"]) {
        assert.strictEqual((yield* send(port, `${method} /agents`)).status, 401, method)
      }
    }))

  it.effect("open paths stay open in the spellings that the router matches", () =>
    Effect.gen(function*() {
      const { port } = yield* listen
      for (const target of ["/health", "/health/", "//health", "/%68ealth", "/health?x=/agents", "/", "*"]) {
        assert.strictEqual((yield* send(port, `GET ${target}`)).status, 200, target)
      }
      assert.strictEqual((yield* send(port, "HEAD /health")).status, 200)
    }))
})
