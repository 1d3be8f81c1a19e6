// What every `ScheduleStore` has to do.
import { assert, layer } from "@effect/vitest"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Share from "@svc-runtime/engine/limits/Share"
import { now } from "@svc-runtime/engine/now"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Schedule from "../Schedule.ts"
import { ScheduleStore } from "../ScheduleStore.ts"

export const schedule = (fields: Partial<Schedule.Schedule> = {}): Schedule.Schedule => ({
  id: Schedule.Id.make(newId("schedule")),
  name: newId("name"),
  description: null,
  method: "POST",
  endpoint: "/agents/assistant/runs",
  payload: { message: "a \u0000 text" },
  cron_expr: "0 9 * * *",
  timezone: "Europe/Berlin",
  timeout_seconds: 60,
  max_retries: 1,
  retry_delay_seconds: 5,
  catch_up: "all",
  catch_up_window_seconds: 3600,
  overlap: "queue",
  jitter_seconds: 0,
  enabled: true,
  consecutive_failures: 2,
  paused_reason: "a reason",
  next_run_at: 2_000_000_000,
  created_at: 1_000,
  updated_at: null,
  author: null,
  ...fields
})

/** More schedules than any test makes. */
export const maxSchedules = 100_000

const page = { page: 1, limit: 1000 }

const created = Effect.fnUntraced(function*(fields: Partial<Schedule.Schedule> = {}) {
  const store = yield* ScheduleStore
  const one = schedule(fields)
  yield* store.create(one, maxSchedules)
  return { one, store }
})

export const suite = <E>(name: string, stores: Layer.Layer<ScheduleStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ScheduleStore, ${name}`, (it) => {
    it.effect("the time of a store is the present in epoch seconds", () =>
      Effect.gen(function*() {
        const store = yield* ScheduleStore
        // a server for tests can be on another machine
        assert.closeTo(yield* store.now, yield* now, 60)
      }))

    it.effect("a schedule is read as it was stored", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
        assert.deepStrictEqual(yield* store.find(Schedule.Id.make(newId("none"))), Option.none())
      }))

    it.effect("schedules are listed newest first, and those of one state alone", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const { one: other } = yield* created({ enabled: false })
        const idsOf = (enabled: boolean | undefined) =>
          Effect.map(
            store.list({ enabled }, page),
            ({ schedules }) => schedules.map(({ id }) => id).filter((id) => id === one.id || id === other.id)
          )
        assert.deepStrictEqual(yield* idsOf(undefined), [other.id, one.id])
        assert.deepStrictEqual(yield* idsOf(true), [one.id])
        assert.deepStrictEqual(yield* idsOf(false), [other.id])
        assert.isAtLeast((yield* store.list({ enabled: undefined }, { page: 2, limit: 1 })).total, 2)
      }))

    it.effect("a name is taken by one schedule, when it is made and when it is changed", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const { one: other } = yield* created()
        const refused = yield* Effect.flip(store.create(schedule({ name: one.name }), maxSchedules))
        assert.strictEqual(refused.message, `Schedule with name '${one.name}' already exists`)
        const renamed = yield* Effect.flip(
          store.change(other.id, (before) => Effect.succeed({ ...before, name: one.name }))
        )
        assert.strictEqual(renamed._tag, "ScheduleNameTaken")
        assert.deepStrictEqual(yield* store.find(other.id), Option.some(other))
      }))

    it.effect("the second of two schedules that are made at once is refused where one has room", () =>
      Effect.gen(function*() {
        const { store } = yield* created()
        const { total } = yield* store.list({ enabled: undefined }, { page: 1, limit: 1 })
        const made = yield* Effect.all([schedule(), schedule()].map((one) => store.create(one, total + 1)), {
          concurrency: "unbounded"
        })
        assert.sameMembers(made, [false, true])
      }))

    it.effect("a user makes as many schedules as its share of all, and others still make theirs", () =>
      Effect.gen(function*() {
        const store = yield* ScheduleStore
        const [ann, bob] = [userId(), userId()]
        const { total } = yield* store.list({ enabled: undefined }, { page: 1, limit: 1 })
        const limit = 2 * total + 8
        const made = (user?: Ids.UserId) => store.create(schedule(), limit, user)
        for (let count = 0; count < Share.shareOf(limit); count++) assert.isTrue(yield* made(ann))
        assert.isFalse(yield* made(ann))
        assert.isTrue(yield* made(bob))
        assert.isTrue(yield* made())
      }))

    it.effect("changes at once are made one after the other, and one that is refused stores nothing", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const increase = store.change(
          one.id,
          (before) => Effect.succeed({ ...before, timeout_seconds: before.timeout_seconds + 1, updated_at: 5 })
        )
        yield* Effect.all([increase, increase, increase], { concurrency: "unbounded" })
        const changed = { ...one, timeout_seconds: one.timeout_seconds + 3, updated_at: 5 }
        assert.strictEqual(yield* Effect.flip(store.change(one.id, () => Effect.fail("refused"))), "refused")
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(changed))
        const none = yield* store.change(Schedule.Id.make(newId("none")), Effect.succeed)
        assert.deepStrictEqual(none, Option.none())
      }))

    it.effect("all schedules of an author are disabled with the reason, and those of others stay as they are", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const { one, store } = yield* created({ author: ann })
        const { one: other } = yield* created({ author: bob })
        const because = { at: 2_000, reason: "The account was revoked" }
        assert.strictEqual(yield* store.disableAll(ann, because), 1)
        assert.strictEqual(yield* store.disableAll(ann, because), 0)
        const disabled = { ...one, enabled: false, paused_reason: because.reason, updated_at: because.at }
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(disabled))
        assert.deepStrictEqual(yield* store.find(other.id), Option.some(other))
      }))

    it.effect("a removed schedule is gone, and has no runs", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        assert.deepStrictEqual(yield* store.runs(one.id, page), { runs: [], total: 0 })
        assert.deepStrictEqual(yield* store.findRun(one.id, Schedule.RunId.make(newId("run"))), Option.none())
        assert.isTrue(yield* store.remove(one.id))
        assert.isFalse(yield* store.remove(one.id))
        assert.deepStrictEqual(yield* store.find(one.id), Option.none())
      }))
  })
