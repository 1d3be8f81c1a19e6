// Streams, connections with many requests, the close of the server, and factories, over real sockets.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { connect, type Socket } from "node:net"
import { close, exchange, form, head, open, readToEnd, refused, replies, served } from "./Exchanges.ts"
import { always, at, frames, kindsOf } from "./Wire.ts"

Tier.oneIn(10)

const runOf = (fields: Record<string, string>, ...headers: ReadonlyArray<string>) => {
  const body = new URLSearchParams(fields).toString()
  return head("POST /agents/slow/runs", form, `content-length: ${body.length}`, ...headers) + body
}

/** Reads until something arrives. */
const readUntil = (socket: Socket, text: string) =>
  Effect.callback<string>((resume) => {
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
      if (received.includes(text)) resume(Effect.succeed(received))
    })
  })

const waiting = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const streaming = yield* Deferred.make<void>()
  const script = yield* Script.make([
    [Script.text("Hel"), Script.wait(Deferred.succeed(streaming, undefined)), Script.wait(gate), Script.text("lo.")]
  ])
  const server = yield* TestServer.listen({ agents: [Agent.make({ id: "slow", model: script.model })] })
  return { ...server, release: Deferred.succeed(gate, undefined), streaming: Deferred.await(streaming) }
})

describe("streams", () => {
  it.live("a stream shows each event when it happens, not when the run has ended", () =>
    Effect.gen(function*() {
      const { port, release } = yield* waiting
      const socket = yield* open(port)
      const reading = readUntil(socket, "Hel")
      socket.write(runOf({ message: "hi" }))
      assert.notInclude(yield* reading, "RunCompleted")
      const rest = readUntil(socket, "event: RunCompleted")
      yield* release
      yield* rest
    }))

  it.live("a stream is chunked, and complete when the connection closes", () =>
    Effect.gen(function*() {
      const { release, url } = yield* waiting
      yield* release
      const response = yield* Effect.promise(() =>
        fetch(`${url}/agents/slow/runs`, { method: "POST", body: new URLSearchParams({ message: "hi" }) })
      )
      assert.strictEqual(response.headers.get("transfer-encoding"), "chunked")
      const all = frames(yield* Effect.promise(() => response.text()))
      assert.strictEqual(kindsOf(all).at(-1), "RunCompleted")
    }))

  it.live.each([["closes", false], ["resets", true]])(
    "a client that %s its connection does not end the run",
    ([, reset]) =>
      Effect.gen(function*() {
        const { port, release, url } = yield* waiting
        const socket = yield* open(port)
        const reading = readUntil(socket, "Hel")
        socket.write(runOf({ message: "hi", session_id: "s", run_id: "r" }))
        yield* reading
        const closed = Effect.callback<void>((resume) => {
          socket.once("close", () => resume(Effect.void))
          if (reset === true) socket.resetAndDestroy()
          else socket.destroy()
        })
        yield* closed
        yield* release
        const poll = Effect.promise(() =>
          fetch(`${url}/agents/slow/runs/r?session_id=s`).then((answer) => answer.json())
        )
        const run = yield* Effect.repeat(poll, { until: (json: unknown) => at(json, "status") !== "RUNNING" })
        assert.strictEqual(at(run, "status"), "COMPLETED")
        assert.strictEqual(at(run, "content"), "Hello.")
      })
  )

  it.live.each([["streams", "true"], ["waits for", "false"]])(
    "a client that %s a run with on_disconnect=cancel and disconnects cancels it",
    ([, stream]) =>
      Effect.gen(function*() {
        const { port, streaming, url } = yield* waiting
        const socket = yield* open(port)
        const fields = { message: "hi", session_id: "s", run_id: "r", stream: stream ?? "", on_disconnect: "cancel" }
        socket.write(runOf(fields))
        yield* streaming
        socket.destroy()
        const poll = Effect.promise(() =>
          fetch(`${url}/agents/slow/runs/r?session_id=s`).then((answer) => answer.json())
        )
        const run = yield* Effect.repeat(poll, { until: (json: unknown) => at(json, "status") !== "RUNNING" })
        assert.strictEqual(at(run, "status"), "CANCELLED")
      })
  )
})

describe("a connection with many requests", () => {
  it.live("a connection with more than 100 requests without a response is closed, and other connections are served", () =>
    Effect.gen(function*() {
      const { port } = yield* served()
      const request = head("GET /health")
      const few = yield* exchange(port, `${request.repeat(99)}${head("GET /health", close)}`)
      assert.lengthOf(replies(few), 100)
      const many = yield* exchange(port, request.repeat(2000))
      assert.isBelow(replies(many).length, 2000)
      const [other] = replies(yield* exchange(port, head("GET /health", close)))
      assert.strictEqual(other?.status, 200)
    }))

  it.live("a request of a connection starts after the response to the one before it", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const [begun, started] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* always(Script.wait(Deferred.succeed(begun, undefined)), Script.wait(gate), Script.text("1"))
      const second = yield* always(Script.wait(Deferred.succeed(started, undefined)), Script.text("2"))
      const { port } = yield* TestServer.listen({
        agents: [Agent.make({ id: "slow", model: first.model }), Agent.make({ id: "second", model: second.model })]
      })
      const socket = yield* open(port)
      const ended = readUntil(socket, "\"2\"")
      const body = "message=hi&stream=false"
      const run = (id: string) => head(`POST /agents/${id}/runs`, form, `content-length: ${body.length}`) + body
      socket.write(run("slow") + run("second"))
      yield* Deferred.await(begun)
      // a run of another connection, that was accepted later, ends
      const other = yield* exchange(
        port,
        head("POST /agents/second/runs", form, close, `content-length: ${body.length}`) + body
      )
      assert.include(other, "\"2\"")
      assert.lengthOf(yield* second.calls, 1)
      yield* Deferred.succeed(gate, undefined)
      yield* ended
      assert.lengthOf(yield* second.calls, 2)
    }))

  it.live("a cancel does not wait for the run before it on its connection, and gets its response after it", () =>
    Effect.gen(function*() {
      const { port, streaming } = yield* waiting
      const socket = yield* open(port)
      const ended = readUntil(socket, "\r\n\r\n{}")
      socket.write(runOf({ message: "hi", stream: "false", session_id: "s", run_id: "r" }))
      yield* streaming
      const cancel = head("POST /agents/slow/runs/r/cancel", "content-length: 0")
      socket.write(cancel.repeat(6))
      const [run, ...cancels] = replies(yield* ended)
      assert.strictEqual(at(run?.body, "status"), "CANCELLED")
      assert.strictEqual(cancels[0]?.status, 200)
    }))

  it.live("bytes that are not HTTP close the connection without a response while requests wait before them", () =>
    Effect.gen(function*() {
      const { port, streaming } = yield* waiting
      const socket = yield* open(port)
      const closed = readToEnd(socket)
      socket.write(runOf({ message: "hi", stream: "false" }) + head("GET /health"))
      yield* streaming
      socket.write("hello\r\n\r\n")
      assert.strictEqual(yield* closed, "")
    }))

  it.live("bytes that are not HTTP are refused after the response to the request before them", () =>
    Effect.gen(function*() {
      const { port, release, streaming } = yield* waiting
      const socket = yield* open(port)
      const closed = yield* Effect.forkChild(readToEnd(socket))
      socket.write(`${runOf({ message: "hi", stream: "false" })}hello\r\n\r\n`)
      yield* Effect.raceFirst(streaming, Fiber.join(closed))
      yield* release
      assert.deepStrictEqual(replies(yield* Fiber.join(closed)).map(({ status }) => status), [200, 400])
    }))

  it.live("other clients get their responses before the requests that wait on connections", () =>
    Effect.gen(function*() {
      const { port } = yield* served({})
      const [connections, each] = [20, 50]
      let answers = 0
      const sockets = yield* Effect.forEach(Array.from({ length: connections }), () => open(port))
      const flooded = Effect.callback<void>((resume) => {
        for (const socket of sockets) {
          socket.on("data", (chunk) => {
            answers += chunk.toString().split("HTTP/1.1 200").length - 1
            resume(Effect.void)
          })
          socket.write(head("GET /sessions").repeat(each))
        }
      })
      yield* flooded
      const [other] = replies(yield* exchange(port, head("GET /health", close)))
      assert.strictEqual(other?.status, 200)
      assert.isBelow(answers, connections * each / 2)
    }))
})

describe("a server that is closed", () => {
  it.live("connections on which no request was sent are closed at once", () =>
    Effect.gen(function*() {
      const ended = yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* served()
        const socket = yield* Effect.callback<Socket>((resume) => {
          const connecting = connect(server.port, "127.0.0.1", () => resume(Effect.succeed(connecting)))
        })
        // the server knows of the connection when it has responded on another one
        yield* exchange(server.port, head("GET /health", close))
        const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
        return () => closed
      }))
      yield* Effect.promise(ended)
    }))
})

describe("a factory", () => {
  const post = (body: string) => head("POST /agents/made/runs", form, `content-length: ${body.length}`, close) + body

  const servedBy = (build: Parameters<typeof AgentFactory.make>[0]["build"]) =>
    TestServer.listen({ agents: [AgentFactory.make({ id: "made", build })] })

  it.live("a factory that refuses is a plain error, with a length and no stream, although a stream was requested", () =>
    Effect.gen(function*() {
      const server = yield* servedBy(() => {
        throw new FactoryPermissionError({ message: "Not you" })
      })
      for (
        const [body, status, code] of [
          ["message=x&stream=true", 403, "FORBIDDEN"],
          ["message=x&stream=true&factory_input=%5B1%5D", 400, "BAD_REQUEST"],
          ["message=x&stream=true&factory_input=not+json", 400, "BAD_REQUEST"]
        ] as const
      ) {
        const text = yield* exchange(server.port, post(body))
        refused(text, status, code)
        assert.notInclude(text, "event-stream")
        assert.notInclude(text.toLowerCase(), "transfer-encoding")
      }
    }))

  it.live("a factory is interrupted when its client has disconnected, and what it had opened is closed", () =>
    Effect.gen(function*() {
      const [called, closed] = [yield* Deferred.make<AbortSignal>(), yield* Deferred.make<void>()]
      const server = yield* servedBy(({ onClose, signal }) => {
        onClose(() => Deferred.doneUnsafe(closed, Effect.void))
        Deferred.doneUnsafe(called, Effect.succeed(signal))
        return new Promise(() => {})
      })
      const socket = yield* open(server.port)
      socket.write(post("message=x"))
      const signal = yield* Deferred.await(called)
      assert.isFalse(signal.aborted)
      socket.destroy()
      yield* Deferred.await(closed)
      assert.isTrue(signal.aborted)
    }))
})
