// Clients that close their half of the connection after the request, as `nc -N` does.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { form, head, open, replies, served } from "./Exchanges.ts"
import { at, frames, kindsOf } from "./Wire.ts"

Tier.oneIn(2)

/** A client that closed its half is sent this while a response takes long, to see whether it has disconnected. */
const continues = "HTTP/1.1 100 Continue\r\n\r\n"

const heartbeat = ": heartbeat\n\n"

/** Writes, closes this half, and gives everything that was received until the other side closed. */
const halfClosed = Effect.fnUntraced(
  function*(port: number, bytes: string, seen: (received: string) => void = () => {}) {
    const socket = yield* open(port, { allowHalfOpen: true })
    return yield* Effect.callback<string>((resume) => {
      let received = ""
      socket.on("data", (chunk) => {
        received += chunk.toString()
        seen(received)
      })
      socket.on("close", () => resume(Effect.succeed(received)))
      socket.end(bytes)
    })
  },
  Effect.scoped
)

/** The model answers when the client has been looked for. */
const waiting = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const script = yield* Script.make([[Script.wait(gate), Script.text("Hello.")]])
  const server = yield* TestServer.listen({ agents: [Agent.make({ id: "slow", model: script.model })] })
  return { ...server, release: () => Deferred.doneUnsafe(gate, Effect.void) }
})

const runOf = (stream: boolean, version = "1.1") => {
  const body = `message=hi&stream=${stream}`
  const text = head("POST /agents/slow/runs", form, `content-length: ${body.length}`) + body
  return text.replace("HTTP/1.1", `HTTP/${version}`)
}

describe("a client that closes its half of the connection after its requests", () => {
  it.live("the client gets all responses, and then the connection closes", () =>
    Effect.gen(function*() {
      const { port } = yield* served()
      const requests = ["GET /health", "GET /sessions", "GET /agents/none", "GET /health"]
      const received = yield* halfClosed(port, requests.map((line) => head(line)).join(""))
      const statuses = replies(received.replaceAll(continues, "")).map(({ status }) => status)
      assert.deepStrictEqual(statuses, [200, 200, 404, 200])
    }))

  it.live("the client gets the response of a run that it waits for", () =>
    Effect.gen(function*() {
      const { port, release } = yield* waiting
      // the second time shows that the first one did not end the connection
      const received = yield* halfClosed(port, runOf(false), (text) => {
        if (text.split(continues).length > 2) release()
      })
      const [reply, ...others] = replies(received.replaceAll(continues, ""))
      assert.strictEqual(reply?.status, 200, received)
      assert.strictEqual(at(reply?.body, "content"), "Hello.")
      assert.deepStrictEqual(others, [])
    }))

  it.live("the client gets the events of a run that it streams", () =>
    Effect.gen(function*() {
      const { port, release } = yield* waiting
      const received = yield* halfClosed(port, runOf(true), (text) => {
        if (text.split(heartbeat).length > 2) release()
      })
      const response = received.replaceAll(continues, "")
      const body = response.slice(response.indexOf("\r\n\r\n") + 4)
      const text = body.replaceAll(/[0-9a-f]+\r\n([^]*?)\r\n/g, "$1").replaceAll(heartbeat, "").trimEnd()
      assert.strictEqual(kindsOf(frames(`${text}\n\n`)).at(-1), "RunCompleted", received)
    }))

  it.live("the client has disconnected if it speaks HTTP/1.0, in which nothing can be sent before the response", () =>
    Effect.gen(function*() {
      const { port, release } = yield* waiting
      const ended = yield* Effect.forkChild(halfClosed(port, runOf(false, "1.0")))
      assert.strictEqual(yield* Fiber.join(ended), "")
      release()
    }))
})
