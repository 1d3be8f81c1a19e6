// What every `UsageStore` has to do. The tests share one database: each has hours of its own.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { UsageStore } from "@svc-runtime/engine/run/store/UsageStore"
import type { UsageFilter } from "@svc-runtime/engine/run/store/UsageStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, type Layer, Option } from "effect"
import { ending, newRun, userId } from "./Samples.ts"
import { ofJobs } from "./usage/ofJobs.ts"
import { ended, listed, newDay, rollUp } from "./usage/UsageHours.ts"

export const suite = <E>(name: string, stores: Layer.Layer<UsageStore | RunStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`UsageStore, ${name}`, (it) => {
    ofJobs(it)

    it.effect("the end of a run counts once, in the hour of its end, with its tokens, cost and times", () =>
      Effect.gen(function*() {
        const day = newDay()
        const model = { id: "fixed", provider: "test" }
        const spent = { input_tokens: 70, output_tokens: 30, total_tokens: 100, cost: 0.25 }
        const usage = { ...spent, details: { model: [{ ...model, ...spent }] } }
        yield* ended(day + 3, {}, { usage, run: { metrics: { ...usage, duration: 2, time_to_first_token: 0.5 } } })
        yield* ended(day + 3, {}, { usage, run: { status: "ERROR", metrics: { ...usage, duration: 4 } } })
        yield* ended(day + 4, {}, { run: { status: "CANCELLED" } })
        yield* rollUp
        yield* rollUp
        const { figures, total } = yield* listed(day, { interval: "hour" })
        assert.strictEqual(total, 2)
        const [first, second] = figures
        assert.deepInclude(first, {
          hour: day + 3,
          completed: 1,
          failed: 1,
          cancelled: 0,
          input_tokens: 140,
          total_tokens: 200,
          cost: 0.5,
          unpriced_tokens: 0
        })
        assert.strictEqual(first?.durations.reduce((sum, count) => sum + count), 2)
        assert.strictEqual(first?.first_tokens.reduce((sum, count) => sum + count), 1)
        assert.deepInclude(second, { hour: day + 4, cancelled: 1, cost: 0, durations: [] })
        const [whole] = (yield* listed(day)).figures
        assert.deepInclude(whole, { hour: day, completed: 1, failed: 1, cancelled: 1, cost: 0.5 })
      }))

    it.effect("a cost that no run has is left out, and its end is added to the hour with the other ends", () =>
      Effect.gen(function*() {
        const day = newDay()
        const costs = [1e308, 1e308, 0.5]
        for (const cost of costs) yield* ended(day, {}, { usage: { total_tokens: 4, cost } })
        yield* rollUp
        yield* ended(day, {}, { usage: { total_tokens: 4, cost: 1e308 } })
        yield* rollUp
        const [figures] = (yield* listed(day)).figures
        assert.deepInclude(figures, { completed: 4, total_tokens: 16, cost: 0.5 })
      }))

    it.effect("runs in a session that an evaluation began do not count", () =>
      Effect.gen(function*() {
        const day = newDay()
        const user_id = userId()
        const { session_id } = yield* ended(day, { user_id, evaluation: true })
        yield* ended(day, { user_id, session_id })
        yield* ended(day, { user_id })
        // the session is an ordinary one
        yield* ended(day, { user_id, evaluation: true, session_id: (yield* ended(day, { user_id })).session_id })
        yield* rollUp
        const [figures] = (yield* listed(day, { owner: Owner.user(user_id) })).figures
        assert.strictEqual(figures?.completed, 3)
      }))

    it.effect("a paused run counts at its end, and a failed one that was continued counts what it used since", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const day = newDay()
        const begun = newRun({ created_at: day * 3600 })
        yield* runs.create(begun)
        const used = (total_tokens: number) => ({ usage: { total_tokens }, updated_at: day * 3600 })
        yield* runs.finish(ending(begun, { ...used(5), run: { status: "PAUSED" } }))
        yield* rollUp
        assert.strictEqual((yield* listed(day)).total, 0)
        const second = Option.getOrThrow(
          yield* runs.resume({ run_id: begun.run_id, attempt: 1, node: "node", entry: {} })
        )
        yield* runs.finish(ending(begun, { ...used(8), attempt: second, run: { status: "ERROR" } }))
        const third = Option.getOrThrow(
          yield* runs.resume({
            run_id: begun.run_id,
            attempt: second,
            node: "node",
            entry: {}
          })
        )
        yield* runs.finish(ending(begun, { ...used(10), attempt: third }))
        yield* rollUp
        const [figures] = (yield* listed(day)).figures
        assert.deepInclude(figures, { completed: 1, failed: 1, total_tokens: 10, unpriced_tokens: 10 })
      }))

    it.effect("a continued run of a model whose cost is zero has no tokens without a price", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const day = newDay()
        const begun = newRun({ created_at: day * 3600 })
        yield* runs.create(begun)
        const used = (total_tokens: number) => {
          const spent = { total_tokens, cost: 0 }
          const usage = { ...spent, details: { model: [{ id: "free", provider: "test", ...spent }] } }
          return { usage, updated_at: day * 3600 }
        }
        yield* runs.finish(ending(begun, { ...used(5), run: { status: "ERROR" } }))
        const attempt = Option.getOrThrow(
          yield* runs.resume({ run_id: begun.run_id, attempt: 1, node: "node", entry: {} })
        )
        yield* runs.finish(ending(begun, { ...used(8), attempt }))
        yield* rollUp
        const [figures] = (yield* listed(day)).figures
        assert.deepInclude(figures, { completed: 1, failed: 1, total_tokens: 8, cost: 0, unpriced_tokens: 0 })
      }))

    it.effect("figures are grouped by component, user or model, and each model has its own tokens", () =>
      Effect.gen(function*() {
        const day = newDay()
        const [ann, bob] = [userId(), userId()]
        const [big, small] = [{ id: "fixed", provider: "test" }, { id: "small", provider: "test" }]
        const usage = {
          total_tokens: 12,
          cost: 1,
          details: {
            model: [{ ...big, total_tokens: 10, cost: 1 }],
            memory_model: [{ ...small, total_tokens: 2 }]
          }
        }
        yield* ended(day, { user_id: ann }, { usage })
        yield* ended(day, { user_id: bob, component_id: "other" }, { usage })
        yield* rollUp
        const grouped = Effect.fnUntraced(function*(group: UsageFilter["group"], given: Partial<UsageFilter> = {}) {
          return (yield* listed(day, { group, ...given })).figures
        })
        assert.deepStrictEqual(
          (yield* grouped("component")).map(({ completed, component_id, kind }) => [kind, component_id, completed]),
          [["agent", "assistant", 1], ["agent", "other", 1]]
        )
        assert.deepStrictEqual((yield* grouped("user")).map(({ user_id }) => user_id), [ann, bob].sort())
        assert.deepStrictEqual(
          (yield* grouped("model")).map((
            row
          ) => [row.model_id, row.completed, row.total_tokens, row.cost, row.unpriced_tokens]),
          [["fixed", 2, 20, 2, 0], ["small", 0, 4, 0, 4]]
        )
        const component = { kind: "agent", id: "other" } as const
        assert.deepStrictEqual((yield* grouped("user", { component })).map(({ user_id }) => user_id), [bob])
        assert.deepStrictEqual((yield* grouped(undefined, { model_id: "small" })).map((row) => row.total_tokens), [4])
        assert.deepStrictEqual((yield* grouped("user", { owner: Owner.user(ann) })).map(({ user_id }) => user_id), [
          ann
        ])
        assert.deepStrictEqual(yield* grouped("user", { owner: Owner.none }), [])
      }))

    it.effect("what a forgotten user has used counts without a user, also runs that were not added yet", () =>
      Effect.gen(function*() {
        const day = newDay()
        const [ann, bob] = [userId(), userId()]
        const usage = { total_tokens: 5, cost: 1 }
        const times = { metrics: { ...usage, duration: 2 } }
        for (const user_id of [ann, bob, null]) yield* ended(day, { user_id }, { usage, run: times })
        yield* rollUp
        const before = (yield* listed(day)).figures
        yield* ended(day + 1, { user_id: ann }, { usage })
        yield* (yield* UsageStore).forget(ann)
        const byUser = (yield* listed(day, { group: "user" })).figures
        assert.deepStrictEqual(byUser.map((row) => [row.user_id, row.completed, row.cost]), [["", 2, 2], [bob, 1, 1]])
        assert.deepStrictEqual((yield* listed(day)).figures, before)
        yield* rollUp
        assert.deepStrictEqual((yield* listed(day, { owner: Owner.user(ann) })).figures, [])
        assert.deepStrictEqual((yield* listed(day)).figures.map(({ completed }) => completed), [4])
      }))

    it.effect("figures are listed in pages with their real total", () =>
      Effect.gen(function*() {
        const day = newDay()
        for (const hour of [2, 0, 1]) yield* ended(day + hour)
        yield* rollUp
        const filter = { owner: Owner.anyone, from: day, to: day + 24, group: undefined, component: undefined }
        const store = yield* UsageStore
        const page = (page: number) =>
          store.list({ ...filter, interval: "hour", model_id: undefined }, { page, limit: 2 })
        const hours = Effect.fnUntraced(function*(number: number) {
          const { figures, total } = yield* page(number)
          return [figures.map(({ hour }) => hour - day), total]
        })
        assert.deepStrictEqual(yield* hours(1), [[0, 1], 3])
        assert.deepStrictEqual(yield* hours(2), [[2], 3])
        assert.deepStrictEqual(yield* hours(9), [[], 3])
      }))
  })
