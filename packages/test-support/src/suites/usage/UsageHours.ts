// Runs that end in hours of a test, and the usage that is listed of them.
import { assert } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { UsageStore } from "@svc-runtime/engine/run/store/UsageStore"
import type { UsageFilter } from "@svc-runtime/engine/run/store/UsageStore"
import { Effect } from "effect"
import { ending, newRun } from "../Samples.ts"

let last = 240_000

/** The first hour of a day that no other test uses. */
export const newDay = () => last += 48

export const ended = Effect.fnUntraced(function*(
  hour: number,
  fields: Parameters<typeof newRun>[0] = {},
  end: Parameters<typeof ending>[1] = {}
) {
  const runs = yield* RunStore
  const begun = newRun({ created_at: hour * 3600, ...fields })
  yield* runs.create(begun)
  const done = ending(begun, { ...end, updated_at: hour * 3600 + 1 })
  // the end is sent twice, because its answer was lost
  assert.isTrue(yield* runs.finish(done))
  assert.isTrue(yield* runs.finish(done))
  return begun
})

export const rollUp = Effect.gen(function*() {
  const usage = yield* UsageStore
  while ((yield* usage.rollUp()) > 0) yield* Effect.yieldNow
})

export const listed = Effect.fnUntraced(function*(from: number, given: Partial<UsageFilter> = {}) {
  const filter: UsageFilter = {
    owner: Owner.anyone,
    from,
    to: from + 48,
    interval: "day",
    group: undefined,
    component: undefined,
    model_id: undefined,
    ...given
  }
  return yield* (yield* UsageStore).list(filter, { page: 1, limit: 100 })
})
