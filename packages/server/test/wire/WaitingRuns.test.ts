// Runs that wait until the limits have room for them.
import { assert, describe, it } from "@effect/vitest"
import type * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, failed, get, run, runWhole, serve } from "../Wire.ts"

/** An agent whose first run is stuck until it is let go. */
const stuck = Effect.fnUntraced(function*(user: StartLimits.Limits = { runsAtOnce: 1 }) {
  const startLimits = { user, whenExceeded: "queue", maxWaiting: 2 } as const
  const [requested, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const script = yield* Script.make([
    [Script.wait(Deferred.succeed(requested, undefined)), Script.wait(gate), Script.text("one")],
    ...Array.from({ length: 9 }, () => [Script.text("later")])
  ])
  const server = yield* serve({ agents: [Agent.make({ id: "agent", model: script.model })], startLimits })
  const first = yield* Effect.forkChild(runWhole(server, "agent", { session_id: "s", message: "hi" }))
  yield* Deferred.await(requested)
  return { server, first, letGo: Deferred.succeed(gate, undefined) }
})

const background = { message: "hi", background: "true", stream: "false" }

/** Lets the loops of the service look until the run has this status. */
const until = Effect.fnUntraced(
  function*(server: Effect.Success<ReturnType<typeof stuck>>["server"], id: string, status: string) {
    const path = `/agents/agent/runs/${id}?session_id=${id}`
    for (;;) {
      if (at((yield* get(server, path)).json, "status") === status) return
      yield* TestClock.adjust("1 second")
    }
  }
)

describe("a run beyond a limit of a service that lets runs wait", () => {
  it.effect("the run is PENDING, and starts when there is room", () =>
    Effect.gen(function*() {
      const { first, letGo, server } = yield* stuck()
      const answer = yield* run(server, "agent", { ...background, session_id: "r", run_id: "r" })
      assert.strictEqual(answer.status, 202, answer.text)
      assert.strictEqual(at(answer.json, "status"), "PENDING")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(at((yield* get(server, "/agents/agent/runs/r?session_id=r")).json, "status"), "PENDING")
      yield* letGo
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      yield* until(server, "r", "COMPLETED")
    }))

  it.effect("the run is refused with 429 when as many wait as may", () =>
    Effect.gen(function*() {
      const { server } = yield* stuck()
      for (const id of ["a", "b"]) {
        assert.strictEqual((yield* run(server, "agent", { ...background, session_id: id })).status, 202)
      }
      const text = "This user has 1 of 1 runs at once. Try again in 1 second."
      failed(yield* run(server, "agent", { message: "hi" }), 429, "TOO_MANY_REQUESTS", text)
    }))

  it.effect("the run is refused with a reason that names the runs that wait, where these take the room that is left", () =>
    Effect.gen(function*() {
      const { server } = yield* stuck({ runsAtOnce: 1, runsPerMinute: 3 })
      for (const id of ["a", "b"]) yield* run(server, "agent", { ...background, session_id: id })
      const text = "This user has started 1 of 3 runs within a minute, and other runs wait. Try again in 60 seconds."
      failed(yield* run(server, "agent", { message: "hi" }), 429, "TOO_MANY_REQUESTS", text)
    }))

  it.effect("the run can be cancelled while it waits, and then never starts", () =>
    Effect.gen(function*() {
      const { first, letGo, server } = yield* stuck()
      yield* run(server, "agent", { ...background, session_id: "r", run_id: "r" })
      const cancelled = yield* ask(server, "/agents/agent/runs/r/cancel?session_id=r", { method: "POST" })
      assert.strictEqual(cancelled.status, 200, cancelled.text)
      yield* until(server, "r", "CANCELLED")
      yield* letGo
      yield* Fiber.join(first)
      assert.strictEqual((yield* runWhole(server, "agent", { message: "hi" })).status, 200)
    }))

  it.effect("a request for its stream gets the events once it has started", () =>
    Effect.gen(function*() {
      const { first, letGo, server } = yield* stuck()
      const streamed = yield* Effect.forkChild(run(server, "agent", { message: "hi", session_id: "r", run_id: "r" }))
      yield* until(server, "r", "PENDING")
      yield* letGo
      yield* Fiber.join(first)
      yield* until(server, "r", "COMPLETED")
      const { status, text } = yield* Fiber.join(streamed)
      assert.strictEqual(status, 200)
      assert.match(text, /event: RunStarted[^]*event: RunCompleted/)
    }))
})
