import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { JobContext } from "../../src/jobs/JobKind.ts"
import * as UsageJob from "../../src/run/engine/UsageJob.ts"
import { endsPerBatch, UsageStore } from "../../src/run/store/UsageStore.ts"

/** How often a job reads ended runs, if the store has one of the counts at each time. */
const reads = Effect.fnUntraced(function*(counts: ReadonlyArray<number>) {
  let calls = 0
  const store = Layer.mock(UsageStore, { rollUp: () => Effect.sync(() => counts[calls++] ?? 0) })
  const kind = yield* Effect.provide(UsageJob.kind, store)
  const job = yield* Effect.forkChild(kind.execute(null, {} as JobContext))
  yield* TestClock.adjust("1 minute")
  yield* Fiber.join(job)
  return calls
})

describe("the job that adds ended runs to the usage of their hours", () => {
  it.effect("a job adds all ends that wait, in pieces", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* reads([endsPerBatch, endsPerBatch, 3]), 3)
    }))

  it.effect("a job ends when it has added what waits, although runs end all the time", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* reads([endsPerBatch, 20, 20, 20]), 2)
    }))
})
