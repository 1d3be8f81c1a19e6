// The usage of background jobs, which belongs to no run.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { UsageFilter, UsageStore } from "@svc-runtime/engine/run/store/UsageStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { sessionId, userId } from "../Samples.ts"
import { ended, listed, newDay, rollUp } from "./UsageHours.ts"

const model = { id: "small", provider: "test" }

const request = (total_tokens: number, cost?: number) => ({
  role: "memory_model",
  model,
  usage: { input_tokens: total_tokens, total_tokens, ...(cost === undefined ? {} : { cost }) }
})

export const ofJobs = (it: Vitest.MethodsNonLive<RunStore | SessionStore | UsageStore>) => {
  it.effect("requests of background jobs count once with tokens and cost, and no run and no time of a run", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const day = newDay()
      const spent = { usage: { total_tokens: 10, cost: 1 }, run: { metrics: { total_tokens: 10, duration: 2 } } }
      const { session_id } = yield* ended(day + 3, {}, spent)
      yield* rollUp
      const [before] = (yield* listed(day, { interval: "hour" })).figures
      yield* store.addUsage(session_id, request(4, 0.5), (day + 3) * 3600)
      yield* store.addUsage(session_id, request(2, 0.25), (day + 3) * 3600)
      yield* store.addUsage(session_id, request(3), (day + 4) * 3600)
      yield* rollUp
      yield* rollUp
      const { figures, total } = yield* listed(day, { interval: "hour" })
      assert.strictEqual(total, 2)
      const used = { input_tokens: 6, total_tokens: 16, cost: 1.75, unpriced_tokens: 0 }
      assert.deepStrictEqual(figures[0], { ...before!, ...used })
      const later = { completed: 0, failed: 0, cancelled: 0, total_tokens: 3, cost: 0, unpriced_tokens: 3 }
      assert.deepInclude(figures[1], { hour: day + 4, ...later, durations: [], first_tokens: [] })
    }))

  it.effect("requests of background jobs count for the component and the user of their session, and for their model", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const day = newDay()
      const user_id = userId()
      const { session_id } = yield* ended(day, { user_id, kind: "team", component_id: "crew" })
      const component = yield* store.addUsage(session_id, request(4, 0.5), day * 3600)
      assert.deepStrictEqual(component, Option.some({ kind: "team", id: "crew" }))
      yield* rollUp
      const of = Effect.fnUntraced(function*(group: UsageFilter["group"], given: Partial<UsageFilter> = {}) {
        return (yield* listed(day, { group, ...given })).figures
      })
      assert.deepStrictEqual(
        (yield* of("component")).map((row) => [row.kind, row.component_id, row.completed, row.cost]),
        [["team", "crew", 1, 0.5]]
      )
      assert.deepStrictEqual((yield* of("user")).map((row) => [row.user_id, row.cost]), [[user_id, 0.5]])
      assert.deepStrictEqual(
        (yield* of("model")).map((row) => [row.model_id, row.model_provider, row.completed, row.total_tokens]),
        [["fixed", "test", 1, 0], ["small", "test", 0, 4]]
      )
      const own = { owner: Owner.user(user_id), component: { kind: "team", id: "crew" }, model_id: "small" } as const
      assert.deepStrictEqual((yield* of(undefined, own)).map((row) => row.total_tokens), [4])
    }))

  it.effect("requests for a session of an evaluation, and for one that was removed, count in no hour", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const day = newDay()
      const { session_id } = yield* ended(day, { evaluation: true })
      yield* store.addUsage(session_id, request(4), day * 3600)
      assert.strictEqual(
        Option.getOrThrow(yield* store.find(session_id, Owner.anyone)).session_metrics?.total_tokens,
        4
      )
      assert.isTrue(Option.isNone(yield* store.addUsage(sessionId(), request(4), day * 3600)))
      yield* rollUp
      assert.strictEqual((yield* listed(day)).total, 0)
    }))
}
