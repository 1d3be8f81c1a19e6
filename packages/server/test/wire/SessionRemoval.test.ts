// Deleting a session in which a run is executed.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { call } from "../authorization/Closed.ts"
import { get, runWhole, serve } from "../Wire.ts"

const names = { session_id: "s", run_id: "r", message: "Go" }

describe("DELETE /sessions/{id} while a run of the session is executed", () => {
  it.effect("a removal cancels the run, and its waiting caller gets that error rather than the end of the service", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const script = yield* Script.make([[Script.wait(Deferred.succeed(begun, undefined)), Script.hang]])
      const server = yield* serve({ agents: [Agent.make({ id: "slow", model: script.model })] })
      const waiting = yield* Effect.forkChild(runWhole(server, "slow", names))
      yield* Deferred.await(begun)
      assert.strictEqual((yield* call(server, { path: "/sessions/s", init: { method: "DELETE" } })).status, 204)
      const answer = yield* Fiber.join(waiting)
      assert.include([200, 404], answer.status)
      assert.match(JSON.stringify(answer), /CANCELLED|was deleted/)
      assert.strictEqual((yield* get(server, "/sessions/s")).status, 404)
    }))

  it.effect("a removal responds with 404 and that error where the run had already reached its next step", () =>
    Effect.gen(function*() {
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const look = Tool.make({
        name: "look",
        effects: "read",
        execute: () =>
          Effect.uninterruptible(
            Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)), "ok")
          )
      })
      const script = yield* Script.make([[Script.toolCall("look")], [Script.text("Never")]])
      const server = yield* serve({
        agents: [Agent.make({ id: "slow", model: script.model, tools: [look] })],
        // a run that is not cancelled in time
        database: (database) => ({
          ...database,
          runs: { ...database.runs, unfinished: () => Effect.succeed([]) }
        })
      })
      const waiting = yield* Effect.forkChild(runWhole(server, "slow", names))
      yield* Deferred.await(begun)
      yield* call(server, { path: "/sessions/s", init: { method: "DELETE" } })
      yield* Deferred.succeed(end, undefined)
      const answer = yield* Fiber.join(waiting)
      assert.strictEqual(answer.status, 404)
      assert.include(JSON.stringify(answer), "The session was deleted while run 'r' was executed")
    }))
})
