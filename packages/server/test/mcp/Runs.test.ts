// A call that runs an agent, while it executes: the client's progress, how long it has to wait,
// and what happens to the run when it cancels, goes away, or ends its session.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, column, get, list, serve } from "../Wire.ts"
import { lookup, toolUser } from "../wire/Fixtures.ts"
import { headers, latest, messages, open, post, request, type Session } from "./Mcp.ts"

Tier.oneIn(8)

const run = (params: object = {}) =>
  request("tools/call", {
    name: "run_agent",
    arguments: { agent_id: "slow", message: "hi", session_id: "s1" },
    ...params
  })

const watched = { _meta: { progressToken: "p" } }

/** A service whose agent answers when the test releases it. */
const slow = Effect.gen(function*() {
  const requested = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const { model } = yield* Script.make([[
    Script.wait(Deferred.succeed(requested, undefined)),
    Script.wait(release),
    Script.text("Done.")
  ]])
  const server = yield* serve({ agents: [Agent.make({ id: "slow", name: "Slow", model })] })
  return { requested: Deferred.await(requested), release: Deferred.succeed(release, undefined), server }
})

/** Waits for the last event of the only run, and says which one it was. */
const ended = Effect.fnUntraced(function*(server: Session["server"]) {
  const [run_id] = column((yield* get(server, "/sessions/s1/runs")).json, "run_id")
  const events = yield* get(server, `/agents/slow/runs/${run_id}/events?session_id=s1`)
  const status = at((yield* get(server, `/sessions/s1/runs/${run_id}`)).json, "status")
  return [[...events.text.matchAll(/^event: (\w+)$/gm)].at(-1)?.[1], status]
})

describe("progress", () => {
  const served = Effect.gen(function*() {
    const { model } = yield* toolUser(Script.toolCall("lookup", { query: "tea" }))
    const agent = Agent.make({ id: "slow", name: "Slow", model, tools: [lookup] })
    return yield* open(yield* serve({ agents: [agent] }))
  })

  it.effect.each(["p", 0, 7])(
    "progress with token %j comes before the answer, and rises by one",
    (progressToken) =>
      Effect.gen(function*() {
        const session = yield* served
        const answer = yield* post(session.server, run({ _meta: { progressToken } }), { headers: session.headers })
        assert.strictEqual(answer.headers.get("content-type"), "text/event-stream")
        assert.strictEqual(answer.headers.get("cache-control"), "no-cache")
        const all = messages(answer)
        const notified = all.slice(0, -1).map((message) => at(message, "params"))
        assert.isTrue(all.slice(0, -1).every((message) => message["method"] === "notifications/progress"))
        assert.deepStrictEqual(notified, [
          { progressToken, progress: 0, message: "Agent Slow started" },
          { progressToken, progress: 1, message: "Tool call started: lookup" },
          { progressToken, progress: 2, message: "Tool call completed: lookup" }
        ])
        assert.strictEqual(at(all.at(-1), "result", "content", 0, "text"), "Tea is a leaf.")
      })
  )

  it.effect("progress is not sent to callers who did not request it", () =>
    Effect.gen(function*() {
      const session = yield* served
      const answer = yield* post(session.server, run(), { headers: session.headers })
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.strictEqual(at(answer.json, "result", "content", 0, "text"), "Tea is a leaf.")
    }))
})

describe("a run that takes long", () => {
  it.effect("the response to a long call is a stream with keep-alive messages", () =>
    Effect.gen(function*() {
      const { requested, release, server } = yield* slow
      const session = yield* open(server)
      const init = { method: "POST", headers: { ...headers, ...session.headers }, body: JSON.stringify(run()) }
      const fetching = yield* Effect.forkChild(server.fetch("/mcp", init))
      yield* requested
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fetching.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const response = yield* Fiber.join(fetching)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      const reading = yield* Effect.forkChild(Effect.promise(() => response.text()), { startImmediately: true })
      yield* TestClock.adjust("31 seconds")
      yield* release
      const text = yield* Fiber.join(reading)
      assert.strictEqual(text.split(": heartbeat\n\n").length - 1, 3)
      const [answer, ...rest] = messages({ headers: response.headers, text })
      assert.deepStrictEqual(rest, [])
      assert.strictEqual(at(answer, "result", "content", 0, "text"), "Done.")
    }))

  it.effect("keep-alive messages are sent between progress, too", () =>
    Effect.gen(function*() {
      const { requested, release, server } = yield* slow
      const session = yield* open(server)
      const calling = yield* Effect.forkChild(post(server, run(watched), { headers: session.headers }))
      yield* requested
      yield* TestClock.adjust("20 seconds")
      yield* release
      const answer = yield* Fiber.join(calling)
      assert.include(answer.text, ": heartbeat\n\n")
      assert.strictEqual(at(messages(answer).at(-1), "result", "structuredContent", "status"), "COMPLETED")
    }))
})

describe("a call that is given up", () => {
  it.effect("notifications/cancelled ends the run of a call, which gets no response", () =>
    Effect.gen(function*() {
      const { requested, server } = yield* slow
      const session = yield* open(server)
      const calling = yield* Effect.forkChild(post(server, run(watched), { headers: session.headers }))
      yield* requested
      const cancelled = {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 2, reason: "enough" }
      }
      const answer = yield* post(server, cancelled, { headers: session.headers })
      assert.deepStrictEqual([answer.status, answer.text], [202, ""])
      const given = yield* Fiber.join(calling)
      assert.notInclude(given.text, "\"id\":2")
      assert.deepStrictEqual(yield* ended(server), ["RunCancelled", "CANCELLED"])
    }))

  it.effect("a cancel notification of another session does not end the run", () =>
    Effect.gen(function*() {
      const { requested, release, server } = yield* slow
      const [session, other] = [yield* open(server), yield* open(server)]
      const calling = yield* Effect.forkChild(post(server, run(watched), { headers: session.headers }))
      yield* requested
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } }
      assert.strictEqual((yield* post(server, cancelled, { headers: other.headers })).status, 202)
      yield* release
      const answer = messages(yield* Fiber.join(calling)).at(-1)
      assert.strictEqual(at(answer, "result", "structuredContent", "status"), "COMPLETED")
    }))

  it.effect("the end of a session ends its runs", () =>
    Effect.gen(function*() {
      const { requested, server } = yield* slow
      const session = yield* open(server)
      const calling = yield* Effect.forkChild(post(server, run(watched), { headers: session.headers }))
      yield* requested
      yield* ask(server, "/mcp", { method: "DELETE", headers: { ...headers, ...session.headers } })
      assert.strictEqual((yield* Fiber.join(calling)).status, 404)
      assert.deepStrictEqual(yield* ended(server), ["RunCancelled", "CANCELLED"])
    }))

  it.effect("a disconnect does not end the run, before its response and during it", () =>
    Effect.gen(function*() {
      for (const params of [{}, watched]) {
        const { requested, release, server } = yield* slow
        const session = yield* open(server)
        const gone = new AbortController()
        const calling = yield* Effect.forkChild(
          Effect.exit(post(server, run(params), { headers: session.headers, signal: gone.signal }))
        )
        yield* requested
        gone.abort()
        yield* Fiber.interrupt(calling)
        yield* release
        const found = yield* get(server, "/sessions/s1/runs").pipe(
          Effect.repeat({ until: ({ json }) => list(json).every((run) => at(run, "status") !== "RUNNING") })
        )
        assert.deepStrictEqual(column(found.json, "status"), ["COMPLETED"])
      }
    }))

  it.effect("a disconnect ends the run where that is how calls are cancelled (2026-07-28)", () =>
    Effect.gen(function*() {
      const { requested, server } = yield* slow
      const gone = new AbortController()
      const stateless = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        progressToken: "p"
      }
      const calling = yield* Effect.forkChild(Effect.exit(post(server, run({ _meta: stateless }), {
        signal: gone.signal,
        headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "run_agent" }
      })))
      yield* requested
      gone.abort()
      yield* Fiber.interrupt(calling)
      assert.deepStrictEqual(yield* ended(server), ["RunCancelled", "CANCELLED"])
    }))
})

describe("without a session (2026-07-28)", () => {
  it.effect("a request without a session is independent", () =>
    Effect.gen(function*() {
      const { release, server } = yield* slow
      yield* release
      const stateless = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        progressToken: "p"
      }
      const answer = yield* post(server, run({ _meta: stateless }), {
        headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "run_agent" }
      })
      const all = messages(answer)
      assert.deepStrictEqual(at(all[0], "params"), { progressToken: "p", progress: 0, message: "Agent Slow started" })
      assert.strictEqual(at(all.at(-1), "result", "structuredContent", "status"), "COMPLETED")
      assert.notStrictEqual(latest, "2026-07-28")
    }))
})
