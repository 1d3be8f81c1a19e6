import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as EvalRun from "../EvalRun.ts"
import { EvaluationDatabases } from "../EvaluationDatabases.ts"

describe("EvaluationDatabases", () => {
  it.effect("the end of an attempt wakes the request that waits once, also before it waits", () =>
    Effect.gen(function*() {
      const { ends: { awaiting, ended } } = yield* EvaluationDatabases
      const id = EvalRun.Id.make("one")
      yield* awaiting(id, (isEnded) =>
        Effect.gen(function*() {
          ended(id)
          yield* isEnded
          const second = yield* Effect.forkChild(isEnded, { startImmediately: true })
          yield* Effect.yieldNow
          assert.isUndefined(second.pollUnsafe())
          ended(id)
          yield* Fiber.join(second)
        }))
    }).pipe(Effect.provide(EvaluationDatabases.layer)))
})
