import { assert, describe, it } from "@effect/vitest"
import { EmbedderCatalog } from "@svc-runtime/agents/Models"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as TopicEmbedder from "@svc-runtime/test-support/TopicEmbedder"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as QueryVectorCache from "../../vectors/QueryVectorCache.ts"
import * as TextVectors from "../TextVectors.ts"

describe("the vectors of searches for memories", () => {
  it.effect("a search waits for a short time, and its request to an embedder that hangs ends as an error later", () =>
    Effect.gen(function*() {
      const instruments = Instruments.make()
      const embedder = TopicEmbedder.make({ before: () => Effect.never })
      const errors = () => instruments.format().split("\n").filter((line) => line.includes(`outcome="error"`))
      yield* Effect.gen(function*() {
        const { of } = yield* TextVectors.TextVectors
        const searching = yield* Effect.forkChild(of("tea", "300 millis"), { startImmediately: true })
        yield* TestClock.adjust("300 millis")
        assert.isUndefined(yield* Fiber.join(searching))
        assert.deepStrictEqual(errors(), [])
        yield* TestClock.adjust("10 seconds")
        assert.lengthOf(errors(), 1)
      }).pipe(
        Effect.provide(
          TextVectors.layer.pipe(Layer.provide([EmbedderCatalog.layer({ embedder }), QueryVectorCache.layer]))
        ),
        Effect.provideService(Instruments.Instruments, instruments)
      )
    }))
})
