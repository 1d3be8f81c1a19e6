// `/mcp` on a socket, byte for byte: what a client that was written from the specification alone has to understand.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { second } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"
import { initialize } from "./Mcp.ts"

/** Sends one request and gives everything that comes back until the other side closes. */
const exchange = (port: number, body: string, ...headers: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => {
      socket.write([
        "POST /mcp HTTP/1.1",
        `host: 127.0.0.1:${port}`,
        "connection: close",
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        `content-length: ${Buffer.byteLength(body)}`,
        ...headers,
        "",
        body
      ].join("\r\n"))
    })
    socket.on("data", (chunk) => {
      received += chunk.toString()
    })
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

const parts = (answer: string): readonly [ReadonlyArray<string>, string] => {
  const end = answer.indexOf("\r\n\r\n")
  return [answer.slice(0, end).split("\r\n"), answer.slice(end + 4)]
}

/** The text of a body. It has a length if it is complete before its first byte leaves, otherwise it has chunks. */
const whole = (head: ReadonlyArray<string>, body: string): string => {
  if (!head.includes("Transfer-Encoding: chunked")) return body
  let text = ""
  let rest = body
  while (rest !== "") {
    const end = rest.indexOf("\r\n")
    const length = Number.parseInt(rest.slice(0, end), 16)
    text += rest.slice(end + 2, end + 2 + length)
    rest = rest.slice(end + 4 + length)
  }
  return text
}

const served = Effect.gen(function*() {
  yield* TestClock.setTime(second * 1000)
  const { port } = yield* TestServer.listen({ agents: [(yield* plain).agent] })
  const [head, body] = parts(yield* exchange(port, JSON.stringify(initialize())))
  const id = head.find((line) => line.startsWith("mcp-session-id: "))
  return { port, head, body, id: id ?? "" }
})

describe("on a socket", () => {
  it.effect("the bytes of initialize are as recorded", () =>
    Effect.gen(function*() {
      const { body, head, id } = yield* served
      assert.strictEqual(head[0], "HTTP/1.1 200 OK")
      assert.include(head, "content-type: application/json")
      assert.include(head, "mcp-protocol-version: 2025-11-25")
      assert.match(id, /^mcp-session-id: [\x21-\x7e]{32,}$/)
      assert.strictEqual(
        body,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\"," +
          "\"capabilities\":{\"logging\":{},\"prompts\":{\"listChanged\":true},\"resources\":{\"subscribe\":false,\"listChanged\":true}," +
          "\"tools\":{\"listChanged\":true},\"completions\":{}}," +
          "\"serverInfo\":{\"name\":\"Svc\",\"version\":\"0.1.0\"}}}\n"
      )
    }))

  it.effect("a notification gets no response on the socket", () =>
    Effect.gen(function*() {
      const { id, port } = yield* served
      const [head, body] = parts(
        yield* exchange(port, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", id)
      )
      assert.strictEqual(head[0], "HTTP/1.1 202 Accepted")
      assert.isUndefined(head.find((line) => line.startsWith("content-type")))
      assert.strictEqual(body, "")
    }))

  it.effect("a call with progress is a stream of frames", () =>
    Effect.gen(function*() {
      const { id, port } = yield* served
      const call = "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":\"run_agent\"," +
        "\"arguments\":{\"agent_id\":\"plain\",\"message\":\"hi\",\"session_id\":\"s1\"},\"_meta\":{\"progressToken\":7}}}"
      const [head, body] = parts(yield* exchange(port, call, id))
      assert.strictEqual(head[0], "HTTP/1.1 200 OK")
      assert.include(head, "content-type: text/event-stream")
      assert.include(head, "cache-control: no-cache")
      assert.strictEqual(
        whole(head, body).replace(/"run_id":"[^"]+"/, "\"run_id\":\"-\""),
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"," +
          "\"params\":{\"progressToken\":7,\"progress\":0,\"message\":\"Agent Plain started\"}}\n\n" +
          "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Hello.\"}]," +
          "\"structuredContent\":{\"run_id\":\"-\",\"session_id\":\"s1\",\"status\":\"COMPLETED\"}}}\n\n"
      )
    }))
})
