// Several schedulers on one database, of which some stop: each time of a schedule is executed once.
import { assert, layer } from "@effect/vitest"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as Signals from "@svc-runtime/engine/signals/Signals"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Clock, Effect, Exit, Layer, Option, References, Scope } from "effect"
import type * as Schedule from "../Schedule.ts"
import * as Scheduler from "../Scheduler.ts"
import { ScheduleStore } from "../ScheduleStore.ts"
import { Scheduling } from "../Scheduling.ts"
import { maxSchedules, schedule } from "./ScheduleStoreSuite.ts"

/** A node that fires schedules and executes none. */
const open = Effect.gen(function*() {
  const node = { node: newId("node"), signals: { publish: () => {}, follow: () => () => {} } }
  const scope = yield* Scope.make()
  yield* Layer.buildWithScope(
    Layer.fresh(Scheduler.layer).pipe(
      Layer.provide([Signals.layerNone, Scheduling.layer(), Layer.succeed(RunEngine, { node } as never)])
    ),
    scope
  )
  const close = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => close)
  return { close }
})

const found = (id: Schedule.Id) => ScheduleStore.use((store) => Effect.map(store.find(id), Option.getOrThrow))

const until = (id: Schedule.Id, isWanted: (schedule: Schedule.Schedule) => boolean) =>
  found(id).pipe(Effect.tap(() => Effect.sleep("20 millis")), Effect.repeat({ until: isWanted }))

const everySecond = { cron_expr: "* * * * * *", timezone: "UTC", paused_reason: null, overlap: "skip" } as const

export const suite = <E>(name: string, stores: Layer.Layer<StoreServices, E>) =>
  layer(stores, { excludeTestServices: true })(`Scheduler, ${name}`, (it) => {
    it.effect("each time is recorded once over several nodes of which some stop", () =>
      Effect.gen(function*() {
        const store = yield* ScheduleStore
        const start = Math.floor((yield* Clock.currentTimeMillis) / 1000) - 30
        const all = Array.from({ length: 10 }, () => schedule({ ...everySecond, next_run_at: start }))
        yield* Effect.forEach(all, (one) => store.create(one, maxSchedules))
        const [last] = all.slice(-1)
        const id = last?.id as Schedule.Id
        const nodes = yield* Effect.all([open, open, open])
        yield* until(id, ({ next_run_at }) => (next_run_at ?? 0) > start)
        yield* nodes[0].close
        yield* Effect.asVoid(open)
        const between = (yield* found(id)).next_run_at ?? 0
        yield* until(id, ({ next_run_at }) => (next_run_at ?? 0) > between)
        yield* nodes[1].close
        for (const { id } of all) {
          yield* until(id, ({ next_run_at }) => (next_run_at ?? 0) > between)
          yield* store.change(id, (one) => Effect.succeed({ ...one, enabled: false }))
          const { next_run_at } = yield* found(id)
          const { total } = yield* store.runs(id, { page: 1, limit: 1 })
          assert.strictEqual(total, (next_run_at ?? 0) - start)
        }
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

    it.effect("a schedule whose expression cannot be read is disabled with the reason, and others are fired", () =>
      Effect.gen(function*() {
        const store = yield* ScheduleStore
        const start = Math.floor((yield* Clock.currentTimeMillis) / 1000) - 5
        const broken = schedule({ cron_expr: "not cron", paused_reason: null, next_run_at: start })
        const one = schedule({ ...everySecond, next_run_at: start })
        yield* store.create(broken, maxSchedules)
        yield* store.create(one, maxSchedules)
        yield* Effect.asVoid(open)
        const paused = yield* until(broken.id, ({ enabled }) => !enabled)
        assert.strictEqual(
          paused.paused_reason,
          "Invalid cron expression: not cron does not have 5 or 6 fields"
        )
        yield* until(one.id, ({ next_run_at }) => (next_run_at ?? 0) > start)
        yield* store.change(one.id, (each) => Effect.succeed({ ...each, enabled: false }))
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
  })
