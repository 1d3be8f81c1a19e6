// Bodies of JSON of the API and of MCP: they count like uploads, and are refused in the same words.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { connect, type Socket } from "node:net"
import { always, ask, at, failed, frames, get, invalid, list, run, serve } from "../Wire.ts"

Tier.oneIn(4)

const kibibyte = 1024

/** A request that announces a body and sends most of it. Resolves with what comes back. */
const unfinished = (port: number, path: string, size: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket: Socket = connect({ port, host: "127.0.0.1" }, () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
            `accept: application/json, text/event-stream\r\ncontent-length: ${size}\r\n\r\n"${"x".repeat(size - 2)}`,
          () => resume(Effect.succeed(socket))
        )
      })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const sendBytes = (server: TestServer.TestServer, path: string, bytes: Uint8Array<ArrayBuffer>, type?: string) =>
  ask(server, path, { method: "POST", headers: type === undefined ? {} : { "content-type": type }, body: bytes })

/** In ISO 8859-1. */
const latin = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))

describe("the text of a request", () => {
  it.effect.each(["/sessions", "/mcp"])(
    "bodies of JSON that never end have a limit together: %s",
    (path) =>
      Effect.gen(function*() {
        const { port } = yield* TestServer.listen({ limits: { uploadsInFlight: 1024 * kibibyte } })
        const responses: Array<string> = []
        for (let n = 0; n < 4; n++) {
          const socket = yield* unfinished(port, path, 600 * kibibyte)
          socket.once("data", (data) => responses.push(`${data}`))
        }
        const turn = Effect.andThen(TestClock.adjust("100 millis"), Effect.promise(() => new Promise(setImmediate)))
        yield* Effect.repeat(turn, { until: () => responses.length > 0, times: 10_000 })
        assert.match(responses[0] ?? "", /^HTTP\/1\.1 429 [^]*retry-after: 1[^]*MAX_UPLOAD_BYTES_IN_FLIGHT/)
      })
  )

  it.effect("a body with a Content-Encoding is refused by the API too", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const answer = yield* ask(server, "/sessions", {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": "gzip" },
        body: JSON.stringify({ session_name: "a" })
      })
      failed(answer, 415, "BAD_REQUEST", "Send the body without Content-Encoding")
    }))

  it.effect("bytes that are not UTF-8 are refused, and nothing is stored", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."))
      const server = yield* serve({ agents: [Agent.make({ id: "plain", model })] })
      const json = "application/json"
      invalid(yield* sendBytes(server, "/sessions", latin(`{"session_name":"Zoé"}`), json), [["body"], "json_invalid"])
      const runs = "/agents/plain/runs"
      invalid(yield* sendBytes(server, runs, latin(`{"message":"Zoé"}`), json), [["body"], "json_invalid"])
      invalid(yield* sendBytes(server, "/sessions", latin(`{"session_name":"Zoé"}`)), [["body"], "json_invalid"])
      const form = "application/x-www-form-urlencoded"
      invalid(yield* sendBytes(server, runs, latin("message=Zoé"), form), [["body", "message"], "string_unicode"])
      invalid(yield* run(server, "plain", {}), [["body", "message"], "missing"])
      const part = (headers: string) =>
        latin(`--b\r\nContent-Disposition: form-data; name="message"\r\n${headers}\r\nZoé\r\n--b--\r\n`)
      const multipart = "multipart/form-data; boundary=b"
      invalid(yield* sendBytes(server, runs, part(""), multipart), [["body", "message"], "string_unicode"])
      assert.deepStrictEqual(list((yield* get(server, "/sessions")).json, "data"), [])
      const charset = part("Content-Type: text/plain; charset=iso-8859-1\r\n")
      const named = yield* sendBytes(server, runs, charset, multipart)
      assert.strictEqual(named.status, 200, named.text)
      const [first] = frames(named.text)
      assert.include((yield* get(server, `/sessions/${String(at(first, "data", "session_id"))}/runs`)).text, "Zoé")
    }))

  it.effect("a body that is too large names the setting", () =>
    Effect.gen(function*() {
      const server = yield* serve({ limits: { jsonBody: 1000 } })
      const answer = yield* ask(server, "/sessions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ session_name: "x".repeat(1000) })
      })
      failed(answer, 413, "PAYLOAD_TOO_LARGE", "The body is larger than 1000 bytes (MAX_JSON_BYTES)")
    }))
})
