// Remote agents that fail, break off, flood and lie, over real connections.
import { assert, describe, it } from "@effect/vitest"
import * as RemoteAgent from "@svc-runtime/agents/agent/remote/RemoteAgent"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { at, list } from "../Wire.ts"
import * as RemoteServer from "./RemoteServer.ts"

Tier.oneIn(8)

const fetch = { allow: ["127.0.0.1"] }

const form = (fields: Readonly<Record<string, string>>) => ({ method: "POST", body: new URLSearchParams(fields) })

const ask = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string, fields?: Record<string, string>) {
  const response = yield* server.fetch(path, fields === undefined ? {} : form(fields))
  return JSON.parse(yield* Effect.promise(() => response.text())) as unknown
})

/** A service with the remote agent, and a run of it. */
const serve = Effect.fnUntraced(function*(
  answer: RemoteServer.Answer,
  options: Partial<RemoteAgent.Options> = {},
  remoteOptions: RemoteServer.Options = {}
) {
  const remote = yield* RemoteServer.make(answer, remoteOptions)
  const server = yield* TestServer.make({
    agents: [RemoteAgent.a2a({ id: "far", url: remote.url, timeout: "10 seconds", ...options })],
    fetch
  })
  return { remote, server, run: ask(server, "/agents/far/runs", { message: "hi", stream: "false", session_id: "s" }) }
})

const methods = ({ received }: RemoteServer.RemoteServer) => received.map(({ method }) => method)

const failed = (run: unknown, ...texts: ReadonlyArray<string>) => {
  assert.strictEqual(at(run, "status"), "ERROR")
  const content = String(at(run, "content"))
  for (const text of texts) assert.include(content, text)
  return content
}

describe("the client of A2A", () => {
  it.live("a remote agent whose stream is cut is read again, and its text is complete", () =>
    Effect.gen(function*() {
      const { remote, run } = yield* serve(({ method }, response) => {
        if (method === "SendStreamingMessage") {
          RemoteServer.stream(response, RemoteServer.task("WORKING"), RemoteServer.text("Hel", false))
          return void setImmediate(() => response.destroy())
        }
        if (method === "GetTask") return RemoteServer.rpc(response, RemoteServer.task("WORKING", "Hell"))
        RemoteServer.stream(response, RemoteServer.task("WORKING", "Hell"), RemoteServer.text("o."))
        response.end(RemoteServer.frame(RemoteServer.status("COMPLETED")))
      })
      const done = yield* run
      assert.strictEqual(methods(remote)[0], "SendStreamingMessage")
      assert.deepInclude(methods(remote), "SubscribeToTask")
      assert.strictEqual(methods(remote).filter((method) => method === "SendStreamingMessage").length, 1)
      assert.deepInclude(done, { status: "COMPLETED", content: "Hello." })
    }))

  it.live("a remote agent whose card says that it streams is sent a message again without a stream if it does not", () =>
    Effect.gen(function*() {
      const { run } = yield* serve(({ method }, response) =>
        method === "SendMessage"
          ? RemoteServer.rpc(response, RemoteServer.task("COMPLETED", "Hi"))
          : method === "GetTask"
          ? RemoteServer.rpc(response, RemoteServer.task("COMPLETED", "Hi"))
          : RemoteServer.rpcError(response, -32004, "no streams")
      )
      assert.deepInclude(yield* run, { status: "COMPLETED", content: "Hi" })
    }))

  it.live("a remote agent can answer with a message, without a task", () =>
    Effect.gen(function*() {
      const { run } = yield* serve((_, response) =>
        RemoteServer.rpc(response, { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Hi" }] } })
      )
      assert.deepInclude(yield* run, { status: "COMPLETED", content: "Hi" })
    }))

  it.live.each([
    { state: "FAILED", text: "failed: out of paper" },
    { state: "REJECTED", text: "rejected the message: out of paper" },
    { state: "CANCELED", text: "cancelled its task: out of paper" },
    { state: "AUTH_REQUIRED", text: "requires an authorization that this service cannot give: out of paper" }
  ])("a remote agent whose task is $state ends the run with the reason", ({ state, text }) =>
    Effect.gen(function*() {
      const { run } = yield* serve((_, response) => {
        RemoteServer.stream(response, RemoteServer.task("WORKING"))
        response.end(RemoteServer.frame(RemoteServer.status(state, "out of paper")))
      })
      failed(yield* run, `The remote agent far ${text}`)
    }))

  it.live.each([
    { code: 401, text: "denies access (401)" },
    { code: 403, text: "denies access (403)" },
    { code: 400, text: "refused the request (400)" },
    { code: 302, text: "sent a response that cannot be read (302)" },
    { code: 500, text: "refused the request (500)" }
  ])(
    "a remote agent that answers $code ends the run with the reason, and is asked once",
    ({ code, text }) =>
      Effect.gen(function*() {
        const { remote, run } = yield* serve((_, response) =>
          void response.writeHead(code, { location: "http://169.254.169.254/" }).end("no")
        )
        failed(yield* run, text)
        assert.deepStrictEqual(methods(remote), ["SendStreamingMessage"])
      })
  )

  it.live.each([429, 503])(
    "a remote agent that answers %d is asked again, because it has accepted nothing",
    (code) =>
      Effect.gen(function*() {
        let count = 0
        const { run } = yield* serve((_, response) => {
          count += 1
          if (count < 3) return void response.writeHead(code).end()
          RemoteServer.stream(response, RemoteServer.task("COMPLETED", "Hi"))
          response.end()
        })
        assert.deepInclude(yield* run, { status: "COMPLETED", content: "Hi" })
        assert.strictEqual(count, 3)
      })
  )

  it.live.each([
    { what: "no JSON", body: "<html>" },
    { what: "nothing", body: "" },
    { what: "a task of another shape", body: JSON.stringify({ result: { task: { id: 7 } } }) },
    { what: "an unknown state", body: JSON.stringify({ result: RemoteServer.task("DREAMING") }) }
  ])("a remote agent that sends $what ends the run with the reason", ({ body }) =>
    Effect.gen(function*() {
      const { run } = yield* serve((_, response) => void response.end(body))
      failed(yield* run, "The remote agent far sent a response that cannot be read")
    }))

  it.live("a remote agent that speaks of another task ends the run, and its own task is cancelled", () =>
    Effect.gen(function*() {
      const { remote, run } = yield* serve(({ method }, response) => {
        if (method === "CancelTask") return RemoteServer.rpc(response, RemoteServer.task("CANCELED"))
        RemoteServer.stream(response, RemoteServer.task("WORKING"), RemoteServer.task("COMPLETED", "secret", "other"))
      })
      failed(yield* run, "The remote agent far sent a response about another task")
      assert.deepInclude(remote.received.at(-1), { method: "CancelTask", params: { id: "task" } })
    }))

  it.live("a remote agent that never stops sending is stopped, and its task is cancelled", () =>
    Effect.gen(function*() {
      const { remote, run } = yield* serve(({ method }, response) => {
        if (method === "CancelTask") return RemoteServer.rpc(response, RemoteServer.task("CANCELED"))
        RemoteServer.stream(response, RemoteServer.task("WORKING"), RemoteServer.text("x", false))
        const frame = RemoteServer.frame(RemoteServer.text("x".repeat(500_000)))
        const flood = () => void (response.writable && response.write(frame, () => setImmediate(flood)))
        flood()
      })
      // whichever is noticed first: the size of the answer, or that of the response
      assert.match(failed(yield* run), /OUTPUT_MAX_BYTES|more than \d+ bytes/)
      assert.strictEqual(methods(remote).at(-1), "CancelTask")
      assert.isAtMost(methods(remote).length, 3)
    }))

  it.live.runIf(Tier.isWhole)(
    "a remote agent that replaces its answer without an end is stopped, and its task is cancelled",
    () =>
      Effect.gen(function*() {
        const { remote, run } = yield* serve(({ method }, response) => {
          if (method === "CancelTask") return RemoteServer.rpc(response, RemoteServer.task("CANCELED"))
          RemoteServer.stream(response, RemoteServer.task("WORKING"), RemoteServer.text("x", false))
          const frame = RemoteServer.frame(RemoteServer.text("y".repeat(4_000_000), false))
          const flood = () => void (response.writable && response.write(frame, () => setImmediate(flood)))
          flood()
        })
        failed(yield* run, "The remote agent far")
        assert.strictEqual(methods(remote).at(-1), "CancelTask")
        assert.isAtMost(methods(remote).length, 3)
      })
  )

  it.live("a remote agent that does not finish in time ends the run, and its task is cancelled", () =>
    Effect.gen(function*() {
      const { remote, run } = yield* serve(({ method }, response) => {
        if (method === "CancelTask") return RemoteServer.rpc(response, RemoteServer.task("CANCELED"))
        RemoteServer.stream(response, RemoteServer.task("WORKING"))
      }, { timeout: "300 millis" })
      failed(yield* run, "The remote agent far did not finish within 300ms")
      assert.deepInclude(remote.received.at(-1), { method: "CancelTask", params: { id: "task" } })
    }))

  it.live("a remote agent whose card is at a private address is not asked", () =>
    Effect.gen(function*() {
      const remote = yield* RemoteServer.make((_, response) => void response.end())
      const server = yield* TestServer.make({ agents: [RemoteAgent.a2a({ id: "far", url: remote.url })] })
      const run = yield* ask(server, "/agents/far/runs", { message: "hi", stream: "false" })
      failed(run, "The remote agent far cannot be reached", "FETCH_ALLOW")
    }))

  it.live("a remote agent whose card names another origin gets no token there", () =>
    Effect.gen(function*() {
      const other = yield* RemoteServer.make((_, response) => void response.end())
      const card = () => ({
        supportedInterfaces: [{ url: other.url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }]
      })
      const { run } = yield* serve((_, response) => void response.end(), { token: "hunter2" }, {
        card: (url) => ({ ...card(), url: url.replace("127.0.0.1", "localhost") })
      })
      failed(yield* run, `names ${other.url}`, "`origins` allows more")
      assert.deepStrictEqual(other.received, [])
    }))

  it.live("a remote agent gets the token and the headers of its author, and its errors do not show them", () =>
    Effect.gen(function*() {
      const { remote, run } = yield* serve(
        ({ headers }, response) =>
          RemoteServer.rpcError(response, -32600, `${headers.authorization} ${String(headers["x-tenant"])}`),
        { token: "hunter2-hunter2", headers: { "X-Tenant": "blue-and-green" } }
      )
      const done = yield* run
      assert.deepInclude(remote.received[0]?.headers, {
        authorization: "Bearer hunter2-hunter2",
        "x-tenant": "blue-and-green"
      })
      failed(done, "refused the request")
      assert.notInclude(JSON.stringify(done), "hunter2")
      assert.notInclude(JSON.stringify(done), "blue-and-green")
    }))

  it.live("a remote agent whose response to a message is lost pauses the run, and a person decides whether it is sent again", () =>
    Effect.gen(function*() {
      let count = 0
      const { remote, run, server } = yield* serve(({ method }, response, request) => {
        if (method === "SendStreamingMessage" && count++ === 0) return void request.socket.destroy()
        RemoteServer.stream(response, RemoteServer.task("COMPLETED", "Hi"))
        response.end()
      })
      const paused = yield* run
      assert.strictEqual(at(paused, "status"), "PAUSED")
      const [tool] = list(at(paused, "tools"))
      assert.deepInclude(tool, { tool_name: "send_to_remote_agent", outcome_unknown: true })
      assert.strictEqual(remote.received.length, 1)
      const done = yield* ask(server, `/agents/far/runs/${String(at(paused, "run_id"))}/continue`, {
        tools: JSON.stringify([{ tool_call_id: at(tool, "tool_call_id"), confirmed: true }]),
        stream: "false",
        session_id: "s"
      })
      assert.deepInclude(done, { status: "COMPLETED", content: "Hi" })
      const [first, second] = remote.received.map(({ params }) => at(params, "message", "messageId"))
      assert.strictEqual(first, second)
    }))

  it.live("a remote agent that recognizes repeated messages gets one again whose response was lost", () =>
    Effect.gen(function*() {
      let count = 0
      const { remote, run } = yield* serve((_, response, request) => {
        if (count++ === 0) return void request.socket.destroy()
        RemoteServer.stream(response, RemoteServer.task("COMPLETED", "Hi"))
        response.end()
      }, { deduplicates: true })
      assert.deepInclude(yield* run, { status: "COMPLETED", content: "Hi" })
      const [first, second] = remote.received.map(({ params }) => at(params, "message", "messageId"))
      assert.strictEqual(first, second)
    }))

  it.live("a cancelled run cancels its remote task, whether that was working or asked something", () =>
    Effect.gen(function*() {
      for (const state of ["WORKING", "INPUT_REQUIRED"]) {
        const [begun, cancelled] = [yield* Deferred.make<void>(), yield* Deferred.make<unknown>()]
        const { server } = yield* serve(({ method, params }, response) => {
          if (method === "CancelTask") {
            Deferred.doneUnsafe(cancelled, Effect.succeed(params))
            return RemoteServer.rpc(response, RemoteServer.task("CANCELED"))
          }
          RemoteServer.stream(response, RemoteServer.task(state))
          Deferred.doneUnsafe(begun, Effect.void)
        })
        const run_id = crypto.randomUUID()
        yield* server.fetch(
          "/agents/far/runs",
          form({ message: "hi", stream: "false", background: "true", session_id: "s", run_id })
        )
        yield* Deferred.await(begun)
        yield* server.fetch(`/agents/far/runs/${run_id}/cancel?session_id=s`, { method: "POST" })
        assert.deepStrictEqual(yield* Deferred.await(cancelled), { id: "task" })
      }
    }))
})
