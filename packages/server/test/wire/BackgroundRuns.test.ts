// Runs in the background, and runs whose client has disconnected.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"
import { ask, at, get, hasKeys, kindsOf, run, runFrames, serve, uuid } from "../Wire.ts"
import { fields, twoAgents } from "./TwoAgents.ts"

/** A model that waits in the middle of its answer until it is let go. */
const waiting = Effect.gen(function*() {
  const reached = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const script = yield* Script.make([
    [Script.text("Hel"), Script.wait(Deferred.succeed(reached, undefined)), Script.wait(gate), Script.text("lo.")]
  ])
  const agent = Agent.make({ id: "slow", model: script.model })
  return { reached, release: Deferred.succeed(gate, undefined), server: yield* serve({ agents: [agent] }) }
})

const stored = "/agents/slow/runs/r?session_id=s"

/** Asks until the run has ended; every request has a response, so nothing is waited for but the run itself. */
const ended = (server: TestServer.TestServer) =>
  get(server, stored).pipe(
    Effect.tap(() => Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
    Effect.repeat({ until: ({ json }) => at(json, "status") !== "RUNNING" })
  )

describe("background", () => {
  it.effect("a background run is accepted with 202 at once, shown as running without content, and then completed", () =>
    Effect.gen(function*() {
      const { reached, release, server } = yield* waiting
      const answer = yield* run(server, "slow", { ...fields, stream: "false", background: "true" })
      assert.strictEqual(answer.status, 202)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(answer.json, { run_id: "r", session_id: "s", status: "PENDING" })
      yield* Deferred.await(reached)
      const { json, status } = yield* get(server, stored)
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "status"), "RUNNING")
      for (const key of ["content", "messages", "metrics", "tools"]) assert.isUndefined(at(json, key), key)
      yield* release
      const done = yield* ended(server)
      assert.strictEqual(at(done.json, "status"), "COMPLETED")
      assert.strictEqual(at(done.json, "content"), "Hello.")
    }))

  it.effect("a background run gets generated ids when the caller gives none", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const { json } = yield* run(server, "plain", { message: "hi", stream: "no", background: "yes" })
      hasKeys(json, "run_id", "session_id", "status")
      assert.match(String(at(json, "run_id")), uuid)
      assert.match(String(at(json, "session_id")), uuid)
    }))

  it.effect("a background run with a stream is a stream", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const all = yield* runFrames(server, "plain", { message: "hi", background: "true" })
      assert.strictEqual(kindsOf(all).at(-1), "RunCompleted")
    }))
})

describe("a client that goes away", () => {
  it.effect("a disconnect in the middle of a stream does not end the run, and its end is stored with all its events", () =>
    Effect.gen(function*() {
      const { reached, release, server } = yield* waiting
      const response = yield* server.fetch("/agents/slow/runs", { method: "POST", body: new URLSearchParams(fields) })
      const reader = response.body!.getReader()
      const first = yield* Effect.promise(() => reader.read())
      assert.include(new TextDecoder().decode(first.value), "event: RunStarted")
      yield* Deferred.await(reached)
      yield* Effect.promise(() => reader.cancel())
      yield* release
      const { json } = yield* ended(server)
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.strictEqual(at(json, "content"), "Hello.")
      assert.strictEqual(
        at(json, "events", -1 + (at(json, "events") as Array<unknown>).length, "event"),
        "RunCompleted"
      )
    }))

  it.effect("a disconnect before the response does not end the run", () =>
    Effect.gen(function*() {
      const { reached, release, server } = yield* waiting
      const controller = new AbortController()
      const body = new URLSearchParams({ ...fields, stream: "false" })
      const request = ask(server, "/agents/slow/runs", { method: "POST", body, signal: controller.signal })
      yield* Effect.forkChild(request, { startImmediately: true })
      yield* Deferred.await(reached)
      controller.abort()
      yield* release
      assert.strictEqual(at((yield* ended(server)).json, "status"), "COMPLETED")
    }))

  it.effect("a client that reads nothing does not block the run", () =>
    Effect.gen(function*() {
      const { release, server } = yield* waiting
      yield* server.fetch("/agents/slow/runs", { method: "POST", body: new URLSearchParams(fields) })
      yield* release
      assert.strictEqual(at((yield* ended(server)).json, "status"), "COMPLETED")
    }))
})
