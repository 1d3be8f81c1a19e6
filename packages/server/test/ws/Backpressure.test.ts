// Clients that do not read: what waits for one of them is bounded, and the socket is
// closed when it takes none of it for half a minute.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import type { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as Backpressure from "../../src/ws/Backpressure.ts"

Tier.oneIn(8)

const megabyte = Buffer.alloc(1024 * 1024)

/** A connection over the loopback, with more written to it than any buffer between its ends takes. */
const held = Effect.gen(function*() {
  const arrived = yield* Deferred.make<IncomingMessage>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((message) => Deferred.doneUnsafe(arrived, Effect.succeed(message)))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
  client.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n")
  const message = yield* Deferred.await(arrived)
  const request = { source: message } as unknown as HttpServerRequest.HttpServerRequest
  const closed = { isRead: false }
  const hasRoom = Backpressure.of(request)(Effect.sync(() => void (closed.isRead = true)))
  const fill = Effect.sync(() => {
    for (let n = 0; n < 64; n++) message.socket.write(megabyte)
  })
  return { client, closed, fill, hasRoom, socket: message.socket }
})

describe("a client", () => {
  it.effect("a client that reads is sent more at once", () =>
    Effect.gen(function*() {
      const { closed, hasRoom } = yield* held
      yield* hasRoom
      assert.isFalse(closed.isRead)
    }))

  it.effect("a client that reads nothing for half a minute is disconnected", () =>
    Effect.gen(function*() {
      const { closed, fill, hasRoom, socket } = yield* held
      const before = socket.listenerCount("drain")
      yield* fill
      assert.isAbove(socket.writableLength, megabyte.length)
      const waiting = yield* Effect.forkChild(hasRoom, { startImmediately: true })
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      assert.isFalse(closed.isRead)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      assert.isTrue(closed.isRead)
      assert.strictEqual(socket.listenerCount("drain"), before, "nothing is left that waits")
    }))

  it.effect("a client that reads late is sent more when it has read", () =>
    Effect.gen(function*() {
      const { client, closed, fill, hasRoom } = yield* held
      yield* fill
      const waiting = yield* Effect.forkChild(hasRoom, { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      client.resume()
      yield* Fiber.join(waiting)
      assert.isFalse(closed.isRead)
    }))

  it.effect("a client that disconnects is waited for no longer", () =>
    Effect.gen(function*() {
      const { client, closed, fill, hasRoom } = yield* held
      yield* fill
      const waiting = yield* Effect.forkChild(hasRoom, { startImmediately: true })
      client.destroy()
      yield* Fiber.join(waiting)
      yield* hasRoom
      assert.isFalse(closed.isRead)
    }))
})

describe("a socket", () => {
  /** Of a short text, as clients have to send it (RFC 6455 §5.3): with a mask, which may be nothing. */
  const frameOf = (text: string) => {
    const payload = Buffer.from(text)
    return Buffer.concat([
      Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]),
      payload
    ])
  }

  it.effect("a socket whose client does not read is closed with 1013, and its run continues", () =>
    Effect.gen(function*() {
      const large = Array.from(
        { length: 12 },
        (_, n) => Step.make({ name: `step ${n}`, run: () => `${n}`.repeat(2 * 1024 * 1024) })
      )
      const workflow = Workflow.make({
        id: "large",
        steps: [
          ...large,
          Step.make({
            name: "end",
            run: () => "done"
          })
        ] as never
      })
      const server = yield* TestServer.listen({ workflows: [workflow] })
      const client = connect(server.port, server.host)
      yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
      client.write(
        "GET /workflows/ws HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
          `sec-websocket-version: 13\r\nsec-websocket-key: ${"A".repeat(22)}==\r\n\r\n`
      )
      // greeted, and then deaf
      yield* Effect.callback<void>((resume) => void client.once("data", () => resume(Effect.void)))
      client.pause()
      client.write(frameOf(JSON.stringify({
        action: "start-workflow",
        workflow_id: "large",
        message: "go",
        session_id: "s",
        run_id: "r",
        padding: " ".repeat(126)
      })))
      const turn = Effect.andThen(TestClock.adjust("5 seconds"), Effect.promise(() => new Promise(setImmediate)))
      const isGivenUp = () => server.logs.some(({ message }) => message.includes("reads too slowly"))
      yield* Effect.repeat(turn, { until: isGivenUp })
      const reason = "The client reads too slowly"
      const close = Buffer.concat([Buffer.from([0x88, reason.length + 2, 1013 >> 8, 1013 & 255]), Buffer.from(reason)])
      // what was written before comes first
      let last = Buffer.alloc(0)
      yield* Effect.callback<void>((resume) => {
        client.on("data", (chunk) => {
          last = Buffer.concat([last, chunk]).subarray(-close.length)
          if (last.equals(close)) resume(Effect.void)
        })
        client.resume()
      })
      const run = yield* Effect.promise(() =>
        fetch(`${server.url}/workflows/large/runs/r?session_id=s`).then((answer) => answer.json() as Promise<object>)
      )
      assert.deepInclude(run, { status: "COMPLETED", content: "done" })
    }))
})
