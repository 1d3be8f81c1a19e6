// MAX_RESPONSE_BYTES_IN_FLIGHT and RESPONSE_TIMEOUT: clients that do not read their responses.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { connect, type Socket } from "node:net"
import { closed, everything, serveClosed, token } from "./authorization/Closed.ts"
import * as Mcp from "./mcp/Mcp.ts"
import { always, at, failed, get, post, runWhole, serve, upload } from "./Wire.ts"
import * as RawSocket from "./ws/RawSocket.ts"
import * as SocketClient from "./ws/SocketClient.ts"

Tier.oneIn(8)

const mebibyte = 1024 * 1024
const large = () => new File(["x".repeat(3 * mebibyte)], "a.txt", { type: "text/plain" })
const limits = { responsesInFlight: 4 * mebibyte }

const run = "/agents/plain/runs/large?session_id=s"
const unread: ReadonlyArray<readonly [what: string, path: string]> = [
  ["a run", run],
  ["the runs of a session", "/sessions/s/runs"],
  ["the runs of an agent", "/agents/plain/runs?session_id=s"],
  ["a run of a session", "/sessions/s/runs/large"],
  ["a session", "/sessions/s"],
  ["a checkpoint", "/agents/plain/runs/large/checkpoints/2?session_id=s"]
]

const agents = Effect.map(always(Script.text("Hello.")), ({ model }) => [Agent.make({ id: "plain", model })])

/** With one large run and one small run. */
const filled = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const started = yield* upload(server, "plain", { message: "hi", stream: "false", session_id: "s", run_id: "large" }, [
    large()
  ])
  assert.strictEqual(started.status, 200, started.text.slice(0, 200))
  assert.strictEqual(
    (yield* runWhole(server, "plain", { message: "hi", session_id: "t", run_id: "small" })).status,
    200
  )
  return server
})

/** Until a fiber that needs room has ended. */
const untilEnded = <A>(fiber: Fiber.Fiber<A>) => {
  const turn = Effect.andThen(TestClock.adjust("1 second"), Effect.promise(() => new Promise(setImmediate)))
  return Effect.andThen(
    Effect.repeat(turn, { until: () => fiber.pollUnsafe() !== undefined, times: 25 }),
    Fiber.join(fiber)
  )
}

describe("a response that is not read", () => {
  it.effect.each(unread)(
    "an unread response counts: %s is refused with 429 and Retry-After after ten seconds",
    ([, path]) =>
      Effect.gen(function*() {
        const server = yield* filled(yield* serve({ agents: yield* agents, limits }))
        const held = yield* server.fetch(run)
        assert.strictEqual(held.status, 200)
        const refused = yield* untilEnded(yield* Effect.forkChild(get(server, path)))
        failed(refused, 429, "TOO_MANY_REQUESTS", /MAX_RESPONSE_BYTES_IN_FLIGHT/)
        assert.isNotNull(refused.headers.get("retry-after"))
        yield* Effect.promise(() => held.text())
        assert.strictEqual((yield* get(server, path)).status, 200)
      })
  )

  it.effect.each(unread)(
    "the bytes of an unread answer are free when the client disconnects: %s",
    ([, path]) =>
      Effect.gen(function*() {
        const server = yield* filled(yield* serve({ agents: yield* agents, limits }))
        const held = yield* server.fetch(path)
        assert.strictEqual(held.status, 200)
        yield* Effect.promise(() => held.body?.cancel() ?? Promise.resolve())
        assert.strictEqual((yield* get(server, run)).status, 200)
      })
  )

  it.effect("an unread response does not delay small responses", () =>
    Effect.gen(function*() {
      const server = yield* filled(yield* serve({ agents: yield* agents, limits }))
      yield* server.fetch(run)
      const waiting = yield* Effect.forkChild(get(server, run))
      assert.strictEqual((yield* get(server, "/health")).status, 200)
      assert.strictEqual((yield* get(server, "/agents/plain/runs/small?session_id=t")).status, 200)
      assert.strictEqual((yield* get(server, "/sessions")).status, 200)
      assert.isUndefined(waiting.pollUnsafe())
    }))

  it.effect("an unread response counts: a tool of MCP that reads as much is refused with the same text", () =>
    Effect.gen(function*() {
      const server = yield* filled(yield* serve({ agents: yield* agents, limits }))
      const session = yield* Mcp.open(server)
      yield* server.fetch(run)
      const called = Mcp.call(session, "get_session_runs", { session_id: "s", run_id: "large" })
      const result = yield* untilEnded(yield* Effect.forkChild(called))
      assert.match(JSON.stringify(result), /MAX_RESPONSE_BYTES_IN_FLIGHT/)
    }))

  it.effect("an unread response counts: a task of A2A that reads as much waits for room, and is refused", () =>
    Effect.gen(function*() {
      const server = yield* filled(yield* serve({ agents: yield* agents, limits }))
      const held = yield* server.fetch(run)
      for (
        const [method, params] of [["tasks/get", { id: "large" }], ["tasks/resubscribe", { id: "large" }]] as const
      ) {
        const request = post(server, "/a2a/agents/plain", { jsonrpc: "2.0", id: 1, method, params })
        const { text } = yield* untilEnded(yield* Effect.forkChild(request))
        assert.match(text, /MAX_RESPONSE_BYTES_IN_FLIGHT/, method)
      }
      yield* Effect.promise(() => held.text())
      const { json } = yield* post(server, "/a2a/agents/plain", {
        jsonrpc: "2.0",
        id: 1,
        method: "tasks/get",
        params: { id: "large" }
      })
      assert.strictEqual(at(json, "result", "id"), "large")
    }))

  it.effect("unread responses of one user leave half of the limit to other users", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({
        agents: yield* agents,
        authorization: yield* closed,
        limits: { responsesInFlight: 14 * mebibyte }
      })
      const as = (bearer: string): TestServer.TestServer => ({
        ...server,
        fetch: (path, init) => {
          const headers = new Headers(init?.headers)
          headers.set("authorization", `Bearer ${bearer}`)
          return server.fetch(path, { ...init, headers })
        }
      })
      const ann = yield* filled(as(yield* token("ann", ...everything)))
      const bob = as(yield* token("bob", ...everything))
      const names = { message: "hi", stream: "false", session_id: "b", run_id: "b" }
      yield* upload(bob, "plain", names, [large()])
      yield* ann.fetch(run)
      failed(yield* untilEnded(yield* Effect.forkChild(get(ann, run))), 429, "TOO_MANY_REQUESTS")
      assert.strictEqual((yield* get(bob, "/agents/plain/runs/b?session_id=b")).status, 200)
    }))

  it.effect("an unread response of a run that an equal request started counts too", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, limits })
      const body = new URLSearchParams({ message: "x".repeat(3 * mebibyte), stream: "false", session_id: "s" })
      const again = { method: "POST", headers: { "idempotency-key": "k" }, body }
      const first = yield* server.fetch("/agents/plain/runs", again)
      yield* Effect.promise(() => first.text())
      yield* server.fetch("/agents/plain/runs", again)
      const refused = yield* untilEnded(yield* Effect.forkChild(server.fetch("/agents/plain/runs", again)))
      assert.strictEqual(refused.status, 429)
    }))
})

describe("the items of a dataset that are not read", () => {
  it.effect.each(["items", "export"])(
    "unread items count: %s is refused with 429 after ten seconds",
    (what) =>
      Effect.gen(function*() {
        const server = yield* serve({ agents: yield* agents, limits })
        const items = Array.from({ length: 4 }, () => ({ input: "x".repeat(200 * 1024) }))
        const made = yield* post(server, "/datasets", { name: "large", items })
        assert.strictEqual(made.status, 201, made.text)
        const path = `/datasets/${String(at(made.json, "id"))}`
        for (let n = 0; n < 3; n++) {
          assert.strictEqual((yield* post(server, `${path}/items`, { put: items })).status, 200)
        }
        const held = yield* server.fetch(`${path}/${what}`)
        assert.strictEqual(held.status, 200)
        const refused = yield* untilEnded(yield* Effect.forkChild(get(server, `${path}/${what}`)))
        failed(refused, 429, "TOO_MANY_REQUESTS", /MAX_RESPONSE_BYTES_IN_FLIGHT/)
        yield* Effect.promise(() => held.text())
        assert.strictEqual((yield* get(server, `${path}/${what}`)).status, 200)
      })
  )
})

/** A watcher whose first page of events was read, and not sent. */
const watching = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const answer = yield* server.fetch("/agents/plain/runs/large/events?session_id=s")
  assert.strictEqual(answer.status, 200)
  const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
  yield* Effect.repeat(turn, { times: 20 })
  return answer
})

const textOf = (answer: Response) => Effect.promise(() => answer.text())

describe("events that are not read", () => {
  it.effect("Unread events count: a stream that has no room for more of them ends after ten seconds with the setting.", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("x".repeat(mebibyte)))
      const server = yield* serve({
        agents: [Agent.make({ id: "plain", model })],
        limits: { responsesInFlight: mebibyte }
      })
      yield* upload(server, "plain", { message: "hi", stream: "true", session_id: "s", run_id: "large" }, [])
      const held = yield* watching(server)
      const refused = yield* untilEnded(
        yield* Effect.forkChild(Effect.flatMap(watching(server), textOf))
      )
      assert.include(refused, "MAX_RESPONSE_BYTES_IN_FLIGHT")
      assert.notInclude(refused, "RunStarted")
      assert.include(yield* textOf(held), "event: RunCompleted")
      const next = yield* watching(server)
      yield* Effect.promise(() => next.body?.cancel() ?? Promise.resolve())
      assert.include(yield* Effect.flatMap(watching(server), textOf), "event: RunCompleted")
    }))
})

describe("events of a run that has not ended", () => {
  it.effect("Unread events of a run that is executed count like others.", () =>
    Effect.gen(function*() {
      const mayEnd = yield* Deferred.make<void>()
      const steps = [
        Step.make({ name: "large", run: () => Effect.succeed("x".repeat(70 * 1024)) }),
        Step.make({ name: "last", run: () => Effect.as(Deferred.await(mayEnd), "end") })
      ] as const
      const server = yield* filled(
        yield* serve({
          agents: yield* agents,
          workflows: [Workflow.make({ id: "large", steps })],
          limits: { responsesInFlight: 50 * 1024 }
        })
      )
      const body = new URLSearchParams({
        message: "go",
        stream: "false",
        background: "true",
        session_id: "w",
        run_id: "r"
      })
      const started = yield* server.fetch("/workflows/large/runs", { method: "POST", body })
      assert.strictEqual(started.status, 202)
      const events = "/workflows/large/runs/r/events?session_id=w"
      const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      yield* Effect.repeat(turn, { times: 200 })
      const unread = yield* server.fetch(events)
      yield* Effect.repeat(turn, { times: 50 })
      const refused = yield* untilEnded(yield* Effect.forkChild(get(server, run)))
      failed(refused, 429, "TOO_MANY_REQUESTS", /MAX_RESPONSE_BYTES_IN_FLIGHT/)
      yield* Effect.promise(() => unread.body?.cancel() ?? Promise.resolve())
      yield* Deferred.succeed(mayEnd, undefined)
      assert.strictEqual((yield* untilEnded(yield* Effect.forkChild(get(server, run)))).status, 200)
    }))
})

describe("events that a socket does not read", () => {
  it.effect.runIf(Tier.isWhole)(
    "Unread events of a socket count: another subscription without room fails after ten seconds.",
    () =>
      Effect.gen(function*() {
        const large = "x".repeat(3 * mebibyte)
        const steps = ["a", "b", "c", "d"].map((name) => Step.make({ name, run: () => Effect.succeed(large) }))
        const server = yield* TestServer.listen({
          workflows: [Workflow.make({ id: "large", steps: [steps[0]!, ...steps.slice(1)] })],
          limits: { responsesInFlight: mebibyte }
        })
        const body = new URLSearchParams({ message: "go", stream: "true", session_id: "s", run_id: "r" })
        const ended = yield* Effect.promise(() => fetch(`${server.url}/workflows/large/runs`, { method: "POST", body }))
        assert.strictEqual(ended.status, 200)
        yield* Effect.promise(() => ended.text())
        const reconnect = { action: "reconnect", workflow_id: "large", run_id: "r", session_id: "s" }
        const unread = yield* RawSocket.open({ host: "127.0.0.1", port: server.port })
        unread.socket.pause()
        unread.socket.write(RawSocket.text(reconnect))
        const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
        yield* Effect.repeat(turn, { times: 500 })
        const reader = yield* SocketClient.open(server.url)
        yield* reader.next
        const subscribed = (text: string) =>
          Effect.gen(function*() {
            yield* reader.send(reconnect)
            let frame = yield* reader.next
            while (!JSON.stringify(frame).includes(text)) frame = yield* reader.next
          })
        // the unread page is held as soon as it is read
        yield* untilEnded(yield* Effect.forkChild(subscribed("Subscription failed")))
        unread.socket.destroy()
        yield* untilEnded(yield* Effect.forkChild(subscribed("WorkflowCompleted")))
      }).pipe(Effect.scoped)
  )
})

/** A client that sends one request and reads nothing. */
const silent = (port: number, path: string, bearer = "") =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1", () => {
        const credential = bearer === "" ? "" : `authorization: Bearer ${bearer}\r\n`
        const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${credential}\r\n`
        socket.write(request, () => resume(Effect.succeed(socket)))
      })
      socket.pause()
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a client that takes nothing of its response", () => {
  it.effect.runIf(Tier.isWhole)(
    "a few users who do not read their responses leave room for the large response of another one",
    () =>
      Effect.gen(function*() {
        const server = yield* TestServer.listen({
          agents: yield* agents,
          authorization: yield* closed,
          limits: { responsesInFlight: 12 * mebibyte }
        })
        const users = yield* Effect.forEach(["ann", "bob", "eve", "dan"], (user) =>
          Effect.map(token(user, ...everything), (bearer) => ({ user, bearer })))
        const last = users[3]!
        for (const { bearer, user } of users) {
          const body = new URLSearchParams({ message: "x".repeat(4 * mebibyte), stream: "false", session_id: user })
          const headers = { authorization: `Bearer ${bearer}` }
          const run = yield* Effect.promise(() =>
            fetch(`${server.url}/agents/plain/runs`, { method: "POST", body, headers })
          )
          assert.strictEqual(run.status, 200)
          yield* Effect.promise(() =>
            run.text()
          )
          if (user === last.user) continue
          const deaf = yield* silent(server.port, `/sessions/${user}`, bearer)
          yield* Effect.callback<void>((resume) => {
            deaf.once("data", () => {
              deaf.pause()
              resume(Effect.void)
            }).resume()
          })
        }
        const headers = { authorization: `Bearer ${last.bearer}` }
        const answer = yield* Effect.promise(() => fetch(`${server.url}/sessions/${last.user}`, { headers }))
        assert.strictEqual(answer.status, 200)
        assert.isAbove((yield* textOf(answer)).length, 4 * mebibyte)
      })
  )

  it.live.runIf(Tier.isWhole)(
    "an unread answer is disconnected after RESPONSE_TIMEOUT, and its bytes are free for others",
    () =>
      Effect.gen(function*() {
        const size = 40 * mebibyte
        const { model } = yield* always(Script.text("Hello."))
        const { port, url } = yield* TestServer.listen({
          agents: [Agent.make({ id: "plain", model })],
          limits: { responsesInFlight: size, responseMillis: 500 }
        })
        const form = new FormData()
        const fields = { message: "hi", stream: "false", background: "true", session_id: "s", run_id: "large" }
        for (const [name, value] of Object.entries(fields)) form.set(name, value)
        form.set("files", new File(["x".repeat(size)], "a.txt", { type: "text/plain" }))
        yield* Effect.promise(() => fetch(`${url}/agents/plain/runs`, { method: "POST", body: form }))
        for (let n = 0; n < 3; n++) yield* silent(port, run)
        const answer = yield* Effect.promise(() => fetch(url + run))
        assert.strictEqual(answer.status, 200)
        const json = yield* Effect.promise(() => answer.json())
        assert.strictEqual(at(json, "run_id"), "large")
      })
  )
})
