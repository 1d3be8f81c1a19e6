// What only a socket can show: requests that do not end, that are too large or no HTTP at all, and
// clients that go away. Bytes in, bytes out.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as AgentFactory from "@svc/runtime/agent/AgentFactory"
import { FactoryPermissionError } from "@svc/runtime/factory/FactoryErrors"
import * as Script from "@svc/testing/ScriptedModel"
import * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect } from "effect"
import { connect, type Socket } from "node:net"
import { always, at, frames, kindsOf } from "./Wire.ts"

const limits = { jsonBody: 1000, formBody: 2000, receiveMillis: 200 }

const served = Effect.fnUntraced(function*(own: TestServer.Options["limits"] = limits) {
  const script = yield* always(Script.text("Hello."))
  const server = yield* TestServer.listen({ agents: [Agent.make({ id: "plain", model: script.model })], limits: own })
  return { ...server, script }
})

const head = (line: string, ...headers: ReadonlyArray<string>) =>
  [`${line} HTTP/1.1`, "host: svc.test", ...headers, "", ""].join("\r\n")

const close = "connection: close"
const json = "content-type: application/json"
const form = "content-type: application/x-www-form-urlencoded"

const open = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Writes, and gives everything that was answered until the other side closed. */
const exchange = Effect.fnUntraced(function*(port: number, ...writes: ReadonlyArray<string>) {
  const socket = yield* open(port)
  return yield* Effect.callback<string>((resume) => {
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
    })
    // a connection that is reset has sent everything
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(received)))
    for (const text of writes) socket.write(text)
  })
}, Effect.scoped)

interface Reply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: unknown
}

/** Takes apart what came: every reply says how long it is. */
const replies = (text: string): ReadonlyArray<Reply> => {
  const found: Array<Reply> = []
  let rest = text
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n")
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n")
    const headers = new Map(lines.map((line) => {
      const [name = "", ...value] = line.split(": ")
      return [name.toLowerCase(), value.join(": ")] as const
    }))
    const length = Number(headers.get("content-length") ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    found.push({ status: Number(first.split(" ")[1]), headers, body: body === "" ? undefined : JSON.parse(body) })
    rest = rest.slice(end + 4 + length)
  }
  return found
}

/** One reply and no other, in the error shape, and the connection is closed. */
const refused = (text: string, status: number, code: string) => {
  const all = replies(text)
  assert.deepStrictEqual(all.map((reply) => reply.status), [status], text)
  const [reply] = all
  assert.strictEqual(reply?.headers.get("content-type"), "application/json")
  assert.deepStrictEqual(Object.keys(reply?.body as object), ["detail", "error_code"])
  assert.strictEqual(at(reply?.body, "error_code"), code)
}

/** The service is as it was: nothing stored, the model not asked. */
const untouched = Effect.fnUntraced(
  function*(server: { readonly port: number; readonly script: Script.ScriptedModel }) {
    const [reply] = replies(yield* exchange(server.port, head("GET /sessions", close)))
    assert.strictEqual(at(reply?.body, "meta", "total_count"), 0)
    assert.deepStrictEqual(yield* server.script.calls, [])
  }
)

describe("requests that node answers by itself", () => {
  it.live("CONNECT is 405 and an unknown expectation 417, in the error shape", () =>
    Effect.gen(function*() {
      const server = yield* served()
      refused(yield* exchange(server.port, head("CONNECT svc.test:443")), 405, "METHOD_NOT_ALLOWED")
      refused(yield* exchange(server.port, head("GET /health", "expect: 200-ok")), 417, "BAD_REQUEST")
      yield* untouched(server)
    }))

  it.live.each(["GET /health", "GET /sessions", "POST /agents/plain/runs"])(
    "HTTP/1.1 without a Host is 400 in the error shape: %s",
    (line) =>
      Effect.gen(function*() {
        const server = yield* served()
        const upgrade = "connection: upgrade\r\nupgrade: websocket"
        for (const headers of [close, upgrade]) {
          const answered = yield* exchange(server.port, `${line} HTTP/1.1\r\n${headers}\r\n\r\n`)
          refused(answered, 400, "BAD_REQUEST")
        }
        yield* untouched(server)
      })
  )

  const handshake: Readonly<Record<string, string>> = {
    "connection": "upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
  }
  const handshakes: ReadonlyArray<readonly [string, Readonly<Record<string, string | undefined>>]> = [
    ["without a key", { "sec-websocket-key": undefined }],
    ["with a key that is too short", { "sec-websocket-key": "abc" }],
    ["without a version", { "sec-websocket-version": undefined }],
    ["with an unknown version", { "sec-websocket-version": "99" }],
    ["with one protocol twice", { "sec-websocket-protocol": "a, a" }],
    ["with a protocol that is no token", { "sec-websocket-protocol": "a b" }]
  ]

  it.live.each(handshakes)(
    "a WebSocket handshake %s is 400 in the error shape",
    ([, changed]) =>
      Effect.gen(function*() {
        const { port } = yield* served()
        const headers = Object.entries({ ...handshake, ...changed }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}: ${value}`]
        )
        for (const path of ["/workflows/ws", "/workflows/brief/ws"]) {
          refused(yield* exchange(port, head(`GET ${path}`, ...headers)), 400, "BAD_REQUEST")
        }
      })
  )
})

describe("requests that do not end", () => {
  const endless: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["a JSON body", [head("POST /sessions", json, "content-length: 100"), "{\"session_id\":"]],
    ["a form", [head("POST /agents/plain/runs", form, "content-length: 100"), "message=hi"]],
    ["a chunked form", [head("POST /agents/plain/runs", form, "transfer-encoding: chunked"), "a\r\nmessage=hi\r\n"]],
    ["a body that was announced and never sent", [head("POST /sessions", json, "content-length: 100")]],
    ["headers", ["POST /sessions HTTP/1.1\r\nhost: svc.test\r\n"]],
    ["a request line", ["GET /hea"]]
  ]

  it.live.each(endless)("an unfinished request with %s is 408", ([, writes]) =>
    Effect.gen(function*() {
      const server = yield* served()
      refused(yield* exchange(server.port, ...writes), 408, "BAD_REQUEST")
      yield* untouched(server)
    }))

  it.live("a body without a reader gets no second response", () =>
    Effect.gen(function*() {
      const server = yield* served()
      const answered = replies(yield* exchange(server.port, head("GET /health", "content-length: 100"), "{"))
      assert.deepStrictEqual(answered.map(({ status }) => status), [200])
    }))
})

describe("requests that are too large", () => {
  it.live("headers over 16 KiB are 413, and just below are read", () =>
    Effect.gen(function*() {
      const { port } = yield* served({})
      const large = (size: number) => head("GET /health", close, `x-large: ${"x".repeat(size)}`)
      refused(yield* exchange(port, large(16 * 1024)), 413, "PAYLOAD_TOO_LARGE")
      assert.strictEqual(replies(yield* exchange(port, large(16 * 1024 - 200)))[0]?.status, 200)
    }))

  it.live("a path over 16 KiB is 413", () =>
    Effect.gen(function*() {
      const { port } = yield* served({})
      refused(yield* exchange(port, head(`GET /sessions/${"x".repeat(17_000)}`, close)), 413, "PAYLOAD_TOO_LARGE")
    }))

  const bodies: ReadonlyArray<readonly [string, string, string]> = [
    ["JSON", "/sessions", json],
    ["a form", "/agents/plain/runs", form],
    ["multipart", "/agents/plain/runs", "content-type: multipart/form-data; boundary=q"]
  ]

  it.live.each(bodies)(
    "a body of %s over the limit is 413 when its length is announced",
    ([, path, type]) =>
      Effect.gen(function*() {
        const server = yield* served()
        const body = "x".repeat(50_000)
        refused(
          yield* exchange(server.port, head(`POST ${path}`, type, close, `content-length: ${body.length}`), body),
          413,
          "PAYLOAD_TOO_LARGE"
        )
        yield* untouched(server)
      })
  )

  it.live.each(bodies)(
    "a body of %s over the limit is 413 when its length is not announced, and never ends",
    ([, path, type]) =>
      Effect.gen(function*() {
        const server = yield* served()
        const chunk = `fa0\r\n${"x".repeat(4000)}\r\n`
        refused(
          yield* exchange(server.port, head(`POST ${path}`, type, "transfer-encoding: chunked"), chunk, chunk),
          413,
          "PAYLOAD_TOO_LARGE"
        )
        yield* untouched(server)
      })
  )
})

describe("requests that lie", () => {
  it.live("a body longer than announced is read as far as announced", () =>
    Effect.gen(function*() {
      const server = yield* served()
      const text = yield* exchange(
        server.port,
        head("POST /agents/plain/runs", form, "content-length: 5"),
        "message=hi"
      )
      const [first] = replies(text)
      assert.include([400, 422], first?.status)
      yield* untouched(server)
    }))

  it.live.each([
    ["no HTTP", "hello\r\n\r\n"],
    ["a TLS handshake", "\u0016\u0003\u0001\u0002\u0000\u0001"],
    ["two lengths", head("POST /sessions", json, "content-length: 2", "content-length: 3") + "{}"],
    ["a length and chunks", head("POST /sessions", json, "content-length: 2", "transfer-encoding: chunked") + "{}"],
    ["a length that is no number", head("POST /sessions", json, "content-length: two") + "{}"],
    ["a chunk that is no chunk", head("POST /sessions", json, "transfer-encoding: chunked") + "zz\r\n{}\r\n"],
    ["a header without an end", head("GET /health", "x-bad: a\u0000b")]
  ])("a request with %s is 400", ([, text]) =>
    Effect.gen(function*() {
      const server = yield* served()
      refused(yield* exchange(server.port, text!), 400, "BAD_REQUEST")
      yield* untouched(server)
    }))
})

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
  it.live("a connection with more than 100 unanswered requests is closed, and other connections are served", () =>
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

  it.live("a request of a connection starts after the answer to the one before it", () =>
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

  it.live("a cancel does not wait for the run before it on its connection, and is answered after it", () =>
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

  it.live("a request that is not HTTP closes the connection without an answer while requests wait before it", () =>
    Effect.gen(function*() {
      const { port, streaming } = yield* waiting
      const socket = yield* open(port)
      const closed = Effect.callback<string>((resume) => {
        let received = ""
        socket.on("data", (chunk) => {
          received += chunk.toString()
        })
        socket.on("error", () => undefined)
        socket.on("close", () => resume(Effect.succeed(received)))
      })
      socket.write(runOf({ message: "hi", stream: "false" }) + head("GET /health"))
      yield* streaming
      socket.write("hello\r\n\r\n")
      assert.strictEqual(yield* closed, "")
    }))

  it.live("other clients are answered before the requests that wait on connections", () =>
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
        // the server knows of the connection when it has answered another one
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
