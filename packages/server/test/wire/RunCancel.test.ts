// Cancelling over HTTP.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { call, closed, token } from "../authorization/Closed.ts"
import { ask, at, badRequest, failed, frames, get, invalid, kindsOf, notFound, run, runWhole, serve } from "../Wire.ts"
import { plain } from "./Fixtures.ts"

Tier.oneIn(6)

/** An agent that says a few words and then nothing, until it is stopped. */
const hanging = Effect.gen(function*() {
  const streaming = yield* Deferred.make<void>()
  const script = yield* Script.make(
    Array.from(
      { length: 10 },
      () => [Script.text("Once upon a"), Script.wait(Deferred.succeed(streaming, undefined)), Script.hang]
    )
  )
  return { agent: Agent.make({ id: "slow", model: script.model }), streaming: Deferred.await(streaming) }
})

const started = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const { agent, streaming } = yield* hanging
  const server = yield* serve({ agents: [agent, (yield* plain).agent], ...options })
  return { server, streaming }
})

const cancel = (server: TestServer.TestServer, path: string, bearer?: string) =>
  call(server, { path, init: { method: "POST" } }, bearer)

const names = { session_id: "s", run_id: "r", message: "Tell me a story" }

describe("POST /agents/{id}/runs/{run_id}/cancel", () => {
  it.effect("a streamed run ends with RunCancelled, and nothing follows", () =>
    Effect.gen(function*() {
      const { server, streaming } = yield* started()
      const watching = yield* Effect.forkChild(run(server, "slow", names))
      yield* streaming
      const answer = yield* cancel(server, "/agents/slow/runs/r/cancel")
      assert.deepStrictEqual([answer.status, answer.text], [200, "{}"])
      const all = frames((yield* Fiber.join(watching)).text)
      assert.strictEqual(kindsOf(all).at(-1), "RunCancelled")
      assert.deepInclude(all.at(-1)?.data, {
        reason: "Run r was cancelled",
        content: "Once upon a",
        event_index: all.length - 1
      })
      const stored = yield* get(server, "/agents/slow/runs/r?session_id=s")
      assert.strictEqual(at(stored.json, "status"), "CANCELLED")
      assert.strictEqual(at(stored.json, "content"), "Once upon a")
      const listed = yield* get(server, "/agents/slow/runs?session_id=s&status=CANCELLED")
      assert.strictEqual(at(listed.json, 0, "run_id"), "r")
    }))

  it.effect("a caller who waits for the run gets the run when it is cancelled", () =>
    Effect.gen(function*() {
      const { server, streaming } = yield* started()
      const waiting = yield* Effect.forkChild(runWhole(server, "slow", names))
      yield* streaming
      yield* cancel(server, "/agents/slow/runs/r/cancel?session_id=s")
      const answer = yield* Fiber.join(waiting)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(at(answer.json, "status"), "CANCELLED")
    }))

  it.effect("a background run is cancelled", () =>
    Effect.gen(function*() {
      const { server, streaming } = yield* started()
      const accepted = yield* runWhole(server, "slow", { ...names, background: "true" })
      assert.strictEqual(accepted.status, 202)
      yield* streaming
      yield* cancel(server, "/agents/slow/runs/r/cancel")
      const poll = get(server, "/agents/slow/runs/r?session_id=s")
      const ended = yield* Effect.repeat(poll, { until: ({ json }) => at(json, "status") !== "RUNNING" })
      assert.strictEqual(at(ended.json, "status"), "CANCELLED")
    }))

  it.effect("a run that has ended accepts a cancel request, and one that is not accepted yet ends when it is", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const done = yield* runWhole(server, "plain", { message: "hi", session_id: "p", run_id: "done" })
      assert.strictEqual((yield* cancel(server, "/agents/plain/runs/done/cancel")).text, "{}")
      const again = yield* get(server, "/agents/plain/runs/done?session_id=p")
      assert.strictEqual(at(again.json, "status"), at(done.json, "status"))
      assert.strictEqual((yield* cancel(server, "/agents/plain/runs/later/cancel")).text, "{}")
      const later = yield* runWhole(server, "plain", { message: "hi", session_id: "p", run_id: "later" })
      assert.strictEqual(at(later.json, "status"), "CANCELLED")
      assert.strictEqual(at(later.json, "content"), "Run later was cancelled")
    }))

  it.effect("a run of an unknown agent is not cancelled", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      notFound(yield* cancel(server, "/agents/unknown/runs/r/cancel"), "Agent not found")
    }))

  it.effect("an isolated caller has to name the session, and finds only their own runs", () =>
    Effect.gen(function*() {
      const { server, streaming } = yield* started({ authorization: yield* closed })
      const [ann, bob] = [yield* token("ann", "agents:run", "agents:read"), yield* token("bob", "agents:run")]
      const body = new URLSearchParams({ ...names, stream: "false" })
      const waiting = yield* Effect.forkChild(
        call(server, { path: "/agents/slow/runs", init: { method: "POST", body } }, ann)
      )
      yield* streaming
      badRequest(
        yield* cancel(server, "/agents/slow/runs/r/cancel", ann),
        "session_id is required for this action"
      )
      notFound(yield* cancel(server, "/agents/slow/runs/r/cancel?session_id=s", bob), "Run not found")
      notFound(yield* cancel(server, "/agents/slow/runs/r/cancel?session_id=other", ann), "Run not found")
      notFound(yield* cancel(server, "/agents/plain/runs/r/cancel?session_id=s", ann), "Run not found")
      notFound(yield* cancel(server, "/agents/slow/runs/later/cancel?session_id=s", ann), "Run not found")
      const running = yield* call(server, { path: "/agents/slow/runs/r?session_id=s" }, ann)
      assert.strictEqual(at(running.json, "status"), "RUNNING")
      assert.strictEqual((yield* cancel(server, "/agents/slow/runs/r/cancel?session_id=s", ann)).text, "{}")
      assert.strictEqual(at((yield* Fiber.join(waiting)).json, "status"), "CANCELLED")
    }))

  it.effect("the error says that a cancel request cannot be stored", () =>
    Effect.gen(function*() {
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const { server } = yield* started({
        database: (database) => ({ ...database, runs: { ...database.runs, requestCancel: () => down } })
      })
      failed(yield* cancel(server, "/agents/slow/runs/r/cancel"), 503, "SERVICE_UNAVAILABLE")
    }))
})

describe("on_disconnect", () => {
  it.effect("the field on_disconnect is continue or cancel", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      for (const on_disconnect of ["continue", "cancel"]) {
        const answer = yield* runWhole(server, "plain", { message: "hi", on_disconnect })
        assert.strictEqual(at(answer.json, "status"), "COMPLETED")
      }
      const body = new URLSearchParams({ message: "hi", stream: "false", on_disconnect: "perhaps" })
      invalid(yield* ask(server, "/agents/plain/runs", { method: "POST", body }), [["body", "on_disconnect"], "enum"])
    }))
})
