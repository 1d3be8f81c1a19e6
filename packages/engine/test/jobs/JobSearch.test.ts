// How often a node searches for due jobs, where a search is slow.
import { assert, describe, it } from "@effect/vitest"
import { kindOf } from "@svc-runtime/test-support/suites/jobs/workerKinds"
import * as WorkerNode from "@svc-runtime/test-support/suites/jobs/WorkerNode"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const searched = Effect.fnUntraced(function*(millis: number) {
  let [searches, duration] = [0, millis]
  const kind = kindOf({ handle: () => Effect.void })
  const { jobs } = yield* WorkerNode.open({
    kinds: [kind],
    around: (store) => ({
      ...store,
      acquire: () => Effect.suspend(() => Effect.delay(Effect.sync(() => (searches++, [])), duration))
    })
  })
  // each of them lets the node search
  const enqueue = Effect.andThen(jobs.enqueue(kind, { n: 1 }), TestClock.adjust("20 millis"))
  yield* Effect.repeat(enqueue, { times: 500 })
  const found = searches
  // a search is not interrupted, and nothing moves the clock when the test has ended
  duration = 0
  yield* TestClock.adjust(millis)
  return found
})

describe("a node that searches for due jobs", () => {
  it.effect("a search that is slow and finds nothing is followed by a pause, however many jobs are enqueued", () =>
    Effect.gen(function*() {
      assert.isAbove(yield* searched(1), 200)
      assert.isBelow(yield* searched(100), 15)
    }).pipe(Effect.provide(InMemory.layer)))
})
