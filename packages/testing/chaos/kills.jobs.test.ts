import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import * as Job from "@svc/runtime/jobs/Job"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { SqlJobStore } from "@svc/storage"
import * as Postgres from "@svc/storage/Postgres"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { delivery } from "./Components.ts"
import * as Kills from "./Kills.ts"
import * as Points from "./Points.ts"
import * as Subjects from "./Subjects.ts"

const points = [
  "acquire.after.1",
  "reserve.before.1",
  "reserve.during.1",
  "reserve.end.1",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

const jobOf = (id: string): Job.NewJob => ({
  id: Job.Id.make(id),
  kind: delivery.name,
  key: null,
  isUnique: false,
  payload: { run: id },
  max_attempts: 5,
  user_id: null,
  session_id: null,
  run_at: undefined
})

describe("a service on PostgreSQL that is killed at every point of a background job", () => {
  it.live("a killed service completes the job after its next start, and has its effect under one key", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const { ledger, start } = yield* Kills.world(Subjects.agent, { DATABASE_URL: Redacted.value(url) })
      let service = yield* start
      const database = Postgres.layer({ url, maxConnections: 1 })
      const store = Context.get(yield* Layer.build(SqlJobStore.layer.pipe(Layer.provide(database))), JobStore)
      for (const point of points) {
        const { id } = yield* store.enqueue(jobOf(Points.runIdOf([1, point])))
        assert.strictEqual(yield* service.ended, "SIGKILL", point)
        service = yield* start
        const completed = yield* store.find(id, Owner.anyone).pipe(
          Effect.tap(() => Effect.sleep("100 millis")),
          Effect.map(Option.getOrThrow),
          Effect.repeat({ until: ({ status }) => Job.isEnded(status) }),
          Effect.timeout("1 minute")
        )
        assert.strictEqual(completed.status, "COMPLETED", point)
        const isStored = point === "finish.after.1"
        if (isStored) assert.strictEqual(completed.attempts, 1)
        const calls = ledger.of(id)
        assert.deepStrictEqual([...new Set(calls.map(({ key }) => key))], [id], point)
        assert.isAtMost(calls.length, isStored ? 1 : 2, point)
      }
    })))
})
