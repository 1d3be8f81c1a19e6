import { assert, describe, it } from "@effect/vitest"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as Schedule from "@svc-runtime/features/schedules/Schedule"
import { ScheduleRunStore } from "@svc-runtime/features/schedules/ScheduleRunStore"
import { ScheduleStore } from "@svc-runtime/features/schedules/ScheduleStore"
import { maxSchedules, schedule } from "@svc-runtime/features/schedules/test/ScheduleStoreSuite"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Kills from "./Kills.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"
import * as Tasks from "./Tasks.ts"

const points = [
  "fire.before.1",
  "fire.during.1",
  "fire.after.1",
  "note.before.1",
  "note.during.1",
  "note.after.1",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

const begunPoints = ["note.before.1", "note.after.1", "finish.before.1", "finish.during.1"]

/** Of every second, since three seconds. */
const due = (id: string, start: number) =>
  schedule({
    id: Schedule.Id.make(id),
    endpoint: `${Subjects.agent.path}/runs`,
    payload: { message: Tasks.tell(Subjects.agent.task, id), session_id: id },
    cron_expr: "* * * * * *",
    timezone: "UTC",
    timeout_seconds: 3600,
    max_retries: 0,
    overlap: "skip",
    consecutive_failures: 0,
    paused_reason: null,
    next_run_at: start
  })

const world = Effect.gen(function*() {
  const url = yield* PostgresLayer.url
  const started = yield* Kills.world(Subjects.agent, { DATABASE_URL: Redacted.value(url) })
  const database = Layer.merge(Postgres.layer({ url, maxConnections: 1 }), StoreLimits.layerWith())
  const stores = yield* Layer.build(SqlStores.layer.pipe(Layer.provideMerge(database)))
  return {
    ...started,
    store: Context.get(stores, ScheduleStore),
    scheduleRuns: Context.get(stores, ScheduleRunStore),
    sql: Context.get(stores, SqlClient.SqlClient)
  }
})

const until = (wanted: Effect.Effect<boolean, unknown>) =>
  Effect.repeat(Effect.andThen(Effect.sleep("100 millis"), wanted), { until: (holds) => holds })

describe("a service on PostgreSQL that is killed at every point of a schedule", () => {
  it.live("each time of a schedule is recorded once, and each of its runs is started once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { signs, sql, start, startPassing, store } = yield* world
      let service = yield* start
      for (const point of Tier.some(points, 1)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const first = Math.floor((yield* Clock.currentTimeMillis) / 1000) - 3
            const { id } = due(Points.runIdOf([1, point]), first)
            const runs = Effect.map(store.runs(id, { page: 1, limit: 1000 }), (found) => found.runs)
            yield* store.create(due(id, first), maxSchedules)
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            service = yield* startPassing(id)
            yield* until(Effect.map(runs, (all) => all.filter(({ status }) => status !== "running").length > 1))
            yield* store.change(id, (one) => Effect.succeed({ ...one, enabled: false }))
            yield* until(Effect.map(runs, (all) => all.every(({ status }) => status !== "running")))
            const all = yield* runs
            const { next_run_at } = Option.getOrThrow(yield* store.find(id))
            assert.strictEqual(all.length, (next_run_at ?? 0) - first, point)
            // the outcome of a payment that a kill interrupts is unknown
            const started = all.filter(({ status }) => status === "success" || status === "paused")
            const others = all.filter(({ error }) => error === Schedule.overlapping)
            assert.strictEqual(started.length + others.length, all.length, JSON.stringify(all))
            const executed = yield* sql`select 1 from svc_runs where session_id = ${id}`
            assert.strictEqual(executed.length, started.length, point)
          })
        )
      }
    })))

  it.live("a triggered run continues with what it began, whatever its schedule was changed to while the service was down", () =>
    Effect.scoped(Effect.gen(function*() {
      const { scheduleRuns, signs, sql, start, startPassing, store } = yield* world
      let service = yield* start
      for (const point of Tier.some(begunPoints, 1)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const id = Points.runIdOf([1, point])
            const one = { ...due(id, 0), enabled: false }
            yield* store.create(one, maxSchedules)
            const triggered = Schedule.RunId.make(`triggered-${point}`)
            assert.strictEqual(yield* scheduleRuns.trigger(one, triggered), "stored")
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            const changed = { endpoint: "/agents/limited/runs", payload: { message: "Pay", session_id: "other" } }
            yield* store.change(one.id, (before) => Effect.succeed({ ...before, ...changed }))
            service = yield* startPassing(id)
            const last = Effect.map(scheduleRuns.last(triggered), Option.getOrThrow)
            yield* until(Effect.map(last, ({ status }) => status !== "running"))
            const ended = yield* last
            assert.oneOf(ended.status, ["success", "paused"], JSON.stringify(ended))
            const runs = yield* sql`select run_id, component_id, session_id from svc_runs`
            const own = runs.filter(({ session_id }) => session_id === id)
            assert.deepStrictEqual(own, [{ run_id: ended.run_id, component_id: "buyer", session_id: id }])
            assert.deepStrictEqual(runs.filter(({ component_id }) => component_id !== "buyer"), [], point)
          })
        )
      }
    })))
})
