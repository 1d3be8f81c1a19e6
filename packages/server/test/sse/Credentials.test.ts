// The rights of a stream of events over time: it ends when the credential that opened it is no longer accepted.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { call, claims, closed, everything, mint, theIssuer, token } from "../authorization/Closed.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { type Answer, at, failed, second, serve } from "../Wire.ts"
import { streams } from "./ProtocolStreams.ts"
import { reading } from "./Reading.ts"

Tier.oneIn(6)

/** An agent that says a word, and another one when it is let. */
const servedWith = Effect.fnUntraced(function*(options: TestServer.Options) {
  const gate = yield* Deferred.make<void>()
  const reached = yield* Deferred.make<void>()
  const gated = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
  const { model } = yield* Script.make([[Script.text("Once"), Script.wait(gated), Script.text("SECRET")]])
  const server = yield* serve({ agents: [Agent.make({ id: "slow", model })], authorization: yield* closed, ...options })
  return { server, reached: Deferred.await(reached), release: Deferred.succeed(gate, undefined) }
})

const served = servedWith({})

const start = (server: TestServer.TestServer, bearer: string) =>
  Effect.map(
    server.fetch("/agents/slow/runs", {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}` },
      body: new URLSearchParams({ message: "hi", session_id: "s", run_id: "r" })
    }),
    reading
  )

const revoke = Effect.fnUntraced(function*(server: TestServer.TestServer, id: string) {
  const admin = yield* token("root", "platform:admin")
  const answer = yield* call(server, { path: `/service-accounts/${id}`, init: { method: "DELETE" } }, admin)
  assert.strictEqual(answer.status, 204)
})

const lastFrame = (detail: string) =>
  `event: error\ndata: ${JSON.stringify({ event: "error", error: `The stream ends: ${detail}` })}\n\n`

const expiring = (exp: number) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", everything), exp }))

/** The credential of the caller is revoked while its request waits for the run. */
const revokedWhileWaiting = Effect.fnUntraced(function*(
  ask: (server: TestServer.TestServer, bearer: string) => Effect.Effect<Answer>
) {
  const { reached, release, server } = yield* served
  const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
  const waiting = yield* Effect.forkChild(ask(server, bot.token))
  yield* reached
  yield* revoke(server, bot.id)
  yield* TestClock.adjust("2 seconds")
  yield* release
  return { server, answer: yield* Fiber.join(waiting) }
})

describe("a response that is awaited", () => {
  it.effect("the answer of a run is not sent to an account that was revoked while it waited, and the run completes", () =>
    Effect.gen(function*() {
      const body = new URLSearchParams({ message: "hi", session_id: "s", run_id: "r", stream: "false" })
      const { answer, server } = yield* revokedWhileWaiting((server, bearer) =>
        call(server, { path: "/agents/slow/runs", init: { method: "POST", body } }, bearer)
      )
      failed(answer, 401, "UNAUTHENTICATED", "Invalid or expired service account token")
      const run = yield* call(
        server,
        { path: "/agents/slow/runs/r?session_id=s" },
        yield* token("root", "platform:admin")
      )
      assert.strictEqual(at(run.json, "status"), "COMPLETED")
    }))

  it.effect("the result of a tool over MCP is not sent to an account that was revoked while it waited", () =>
    Effect.gen(function*() {
      const { answer } = yield* revokedWhileWaiting(Effect.fnUntraced(function*(server, bearer) {
        const { headers } = yield* Mcp.open(server, { bearer })
        const args = { agent_id: "slow", message: "hi", session_id: "s" }
        return yield* Mcp.post(server, Mcp.request("tools/call", { name: "run_agent", arguments: args }), { headers })
      }))
      assert.strictEqual(answer.status, 401)
      assert.notInclude(answer.text, "SECRET")
    }))
})

describe("a stream of a run's events", () => {
  it.effect("a stream ends at the next event after the service account was revoked, and the run completes", () =>
    Effect.gen(function*() {
      const { release, server } = yield* served
      const admin = yield* token("root", "platform:admin")
      const bot = yield* mint(server, admin, { name: "bot", scopes: everything })
      const stream = yield* start(server, bot.token)
      yield* stream.until("Once")
      yield* revoke(server, bot.id)
      yield* release
      assert.strictEqual(yield* stream.rest, lastFrame("Invalid or expired service account token"))
      const run = Effect.map(
        call(server, { path: "/agents/slow/runs/r?session_id=s" }, admin),
        ({ json }) => at(json, "status")
      )
      assert.strictEqual(yield* Effect.repeat(run, { until: (status) => status === "COMPLETED" }), "COMPLETED")
    }))

  it.effect("a stream ends within half a minute after its token has expired, also without events of the run", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      const stream = yield* start(server, yield* expiring(second + 60))
      yield* stream.until("Once")
      yield* TestClock.adjust("69 seconds")
      yield* TestClock.adjust("30 seconds")
      const rest = (yield* stream.rest).replaceAll(": heartbeat\n\n", "")
      assert.strictEqual(rest, lastFrame("Token has expired"))
    }))

  it.effect("a stream ends at the next event after the role of its caller was deleted", () =>
    Effect.gen(function*() {
      const { release, server } = yield* served
      const admin = yield* token("root", "platform:admin")
      const headers = { "content-type": "application/json" }
      const body = JSON.stringify({ name: "runner", scopes: ["agents:run"] })
      yield* call(server, { path: "/roles", init: { method: "POST", headers, body } }, admin)
      const stream = yield* start(server, yield* token("ann", "role:runner"))
      yield* stream.until("Once")
      yield* call(server, { path: "/roles/runner", init: { method: "DELETE" } }, admin)
      yield* release
      assert.strictEqual(
        yield* stream.rest,
        lastFrame("Insufficient permissions. Required scope(s): agents:run")
      )
    }))

  it.effect("a stream continues while the credential is accepted", () =>
    Effect.gen(function*() {
      const { release, server } = yield* served
      const stream = yield* start(server, yield* token("ann", ...everything))
      yield* stream.until("Once")
      yield* TestClock.adjust("5 minutes")
      yield* release
      assert.include(yield* stream.rest, "RunCompleted")
    }))

  it.effect("a stream of another watcher ends with the credential of its watcher alone", () =>
    Effect.gen(function*() {
      const { release, server } = yield* served
      const admin = yield* token("root", "platform:admin")
      const bot = yield* mint(server, admin, { name: "bot", scopes: ["platform:admin"] })
      const starter = yield* start(server, admin)
      yield* starter.until("Once")
      const watching = yield* server.fetch("/agents/slow/runs/r/events?session_id=s", {
        headers: { authorization: `Bearer ${bot.token}` }
      })
      const watcher = reading(watching)
      yield* watcher.until("Once")
      yield* revoke(server, bot.id)
      yield* release
      assert.strictEqual(yield* watcher.rest, lastFrame("Invalid or expired service account token"))
      assert.include(yield* starter.rest, "SECRET")
    }))
})

describe("a thread that is read back", () => {
  it.effect("the message that is open is closed before the error when the account is revoked", () =>
    Effect.gen(function*() {
      const { release, server } = yield* served
      const admin = yield* token("root", "platform:admin")
      const bot = yield* mint(server, admin, { name: "bot", scopes: everything })
      const input = { threadId: "s", runId: "x", messages: [], tools: [], context: [] }
      const headers = { authorization: `Bearer ${bot.token}`, "content-type": "application/json" }
      const say = { ...input, runId: "r", messages: [{ id: "m", role: "user", content: "hi" }] }
      const post = (path: string, body: object) =>
        Effect.map(
          server.fetch(`/copilotkit/agent/slow/${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
          reading
        )
      yield* (yield* post("run", say)).until("Once")
      const stream = yield* post("connect", input)
      yield* stream.until("Once")
      yield* revoke(server, bot.id)
      yield* release
      const types = ((yield* stream.rest).match(/"type":"[A-Z_]+"/g) ?? []).map((type) => type.slice(8, -1))
      assert.deepStrictEqual(types, ["TEXT_MESSAGE_END", "RUN_ERROR"])
    }))
})

describe("a stream of another protocol", () => {
  it.effect.each(streams)(
    "a stream of %s ends with its own error when the account is revoked",
    ([, path, body, last]) =>
      Effect.gen(function*() {
        const { release, server } = yield* served
        const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
        const stream = reading(
          yield* server.fetch(path, {
            method: "POST",
            headers: { authorization: `Bearer ${bot.token}`, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        )
        yield* stream.until("Once")
        yield* revoke(server, bot.id)
        yield* release
        const rest = yield* stream.rest
        assert.notInclude(rest, "SECRET")
        assert.include(rest, last)
        assert.include(rest, "Invalid or expired service account token")
      })
  )
})

describe("a call of a tool over MCP whose response is a stream", () => {
  it.effect("a call over MCP ends with a JSON-RPC error of its own id when the account is revoked", () =>
    Effect.gen(function*() {
      const { release, server } = yield* served
      const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
      const session = yield* Mcp.open(server, { bearer: bot.token })
      const body = Mcp.request("tools/call", {
        name: "run_agent",
        arguments: { agent_id: "slow", message: "hi", session_id: "s" },
        _meta: { progressToken: 1 }
      }, "call-7")
      const answer = yield* server.fetch("/mcp", {
        method: "POST",
        headers: { ...Mcp.headers, ...session.headers },
        body: JSON.stringify(body)
      })
      const stream = reading(answer)
      yield* stream.until("started")
      yield* revoke(server, bot.id)
      yield* release
      const rest = yield* stream.rest
      assert.notInclude(rest, "SECRET")
      assert.deepStrictEqual(JSON.parse(rest.replace("data: ", "")), {
        jsonrpc: "2.0",
        id: "call-7",
        error: { code: -32600, message: "The stream ends: Invalid or expired service account token" }
      })
      const refused = yield* Mcp.post(server, Mcp.request("tools/list"), { headers: session.headers })
      assert.strictEqual(refused.status, 401)
    }))
})

describe("a stream of A2A over JSON-RPC", () => {
  it.effect("a stream ends at the next event after its account has lost the scope that the body needed", () =>
    Effect.gen(function*() {
      let scopes: ReadonlyArray<string> | undefined
      const narrowed = Layer.effect(
        ServiceAccountStore,
        Effect.map(ServiceAccountStore, (store) =>
          ServiceAccountStore.of({
            ...store,
            findByHash: (hash) =>
              Effect.map(
                store.findByHash(hash),
                Option.map((found) => scopes === undefined ? found : { ...found, scopes })
              )
          }))
      ).pipe(Layer.provide(Layer.fresh(TestDatabase.layer)))
      const { release, server } = yield* servedWith({ accounts: narrowed })
      const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
      const answer = yield* server.fetch("/a2a/agents/slow", {
        method: "POST",
        headers: { authorization: `Bearer ${bot.token}`, "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "SendStreamingMessage",
          params: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } }
        })
      })
      const stream = reading(answer)
      yield* stream.until("Once")
      scopes = ["agents:read"]
      // a check can be a second old
      yield* TestClock.adjust("2 seconds")
      yield* release
      const rest = yield* stream.rest
      assert.notInclude(rest, "SECRET")
      assert.include(rest, "The stream ends: Insufficient permissions. Required scope(s): agents:run")
    }))
})
