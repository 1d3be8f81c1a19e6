// A run whose events wait for the store.
import { assert, it } from "@effect/vitest"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { run } from "./Harness.ts"

it.effect("the answer of a model is read no further while there is no room for events", () =>
  Effect.gen(function*() {
    const [waits, room] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let read = 0
    const rest = Script.wait(Effect.sync(() => {
      read++
    }))
    const hasRoom = Effect.andThen(Deferred.succeed(waits, undefined), Deferred.await(room))
    const running = yield* Effect.forkChild(
      CurrentWork.within({ hasRoom })(run({}, [[Script.text("a"), rest, Script.text("b")]]))
    )
    yield* Deferred.await(waits)
    yield* Effect.repeat(Effect.yieldNow, { times: 100 })
    assert.strictEqual(read, 0)
    yield* Deferred.succeed(room, undefined)
    const { output } = yield* Fiber.join(running)
    assert.deepStrictEqual([read, output.content], [1, "ab"])
  }))
