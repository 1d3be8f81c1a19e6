// MAX_UPLOAD_BYTES_IN_FLIGHT: how many bytes of request bodies are in memory at once.
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentFactory } from "@svc/runtime"
import * as Script from "@svc/testing/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { always, failed, get, list, run, serve, upload } from "../Wire.ts"

const kibibyte = 1024
const file = () => new File(["x".repeat(800 * kibibyte)], "a.txt", { type: "text/plain" })

/** A service with room for one upload, which is held as long as the factory waits for the gate. */
const started = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const held = yield* Deferred.make<void>()
  const { model } = yield* always(Script.text("Hello."))
  const plain = Agent.make({ id: "plain", model })
  const slow = AgentFactory.make({
    id: "slow",
    build: () =>
      Effect.as(
        Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(gate)),
        Agent.make({ id: "slow", model })
      )
  })
  const server = yield* serve({ agents: [plain, slow], limits: { uploadsInFlight: 1024 * kibibyte } })
  const send = (agent: string, session_id: string) =>
    upload(server, agent, { message: "hi", stream: "false", session_id }, [file()])
  const first = yield* Effect.forkChild(send("slow", "first"))
  yield* Deferred.await(held)
  return { first, gate, send, server }
})

describe("an upload beyond MAX_UPLOAD_BYTES_IN_FLIGHT", () => {
  it.effect("is refused with 429 and Retry-After when there is no room for ten seconds, and nothing is stored", () =>
    Effect.gen(function*() {
      const { first, gate, send, server } = yield* started
      const second = yield* Effect.forkChild(send("plain", "second"))
      const turn = Effect.andThen(TestClock.adjust("1 second"), Effect.promise(() => new Promise(setImmediate)))
      yield* Effect.repeat(turn, { until: () => second.pollUnsafe() !== undefined, times: 25 })
      const answer = yield* Fiber.join(second)
      failed(answer, 429, "TOO_MANY_REQUESTS", /MAX_UPLOAD_BYTES_IN_FLIGHT/)
      assert.isNotNull(answer.headers.get("retry-after"))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      assert.deepStrictEqual(list((yield* get(server, "/sessions")).json, "data").length, 1)
    }))

  it.effect("waits, and is accepted when the upload before it has become a run", () =>
    Effect.gen(function*() {
      const { first, gate, send } = yield* started
      const second = yield* Effect.forkChild(send("plain", "second"))
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual([(yield* Fiber.join(first)).status, (yield* Fiber.join(second)).status], [200, 200])
    }))

  it.effect("does not delay a request with a small body", () =>
    Effect.gen(function*() {
      const { gate, server } = yield* started
      assert.strictEqual((yield* run(server, "plain", { message: "hi", stream: "false" })).status, 200)
      yield* Deferred.succeed(gate, undefined)
    }))
})
