import { assert, it } from "@effect/vitest"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Recovery from "../src/application/Recovery.ts"

it.effect("the service starts while its unfinished runs are being restored, however long that takes", () =>
  Effect.scoped(Effect.gen(function*() {
    let isRead = false
    const recover = Effect.suspend(() => {
      isRead = true
      return Effect.never
    })
    const engine = Layer.succeed(RunEngine, { recover } as unknown as RunEngine["Service"])
    yield* Layer.build(Recovery.layer.pipe(Layer.provide(engine)))
    assert.isFalse(isRead, "the first requests are answered before")
    yield* TestClock.adjust("1 second")
    assert.isTrue(isRead)
  })))
