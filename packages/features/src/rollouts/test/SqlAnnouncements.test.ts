// The event of a rollout, which is stored in the transaction in which its guard stops a version.
import { assert, layer } from "@effect/vitest"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rollout from "../Rollout.ts"
import { RolloutStore } from "../RolloutStore.ts"
import * as SqlRolloutStore from "../SqlRolloutStore.ts"
import { rollout } from "./RolloutStoreSuite.ts"

const database = SqlRolloutStore.layer.pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

interface Job {
  readonly payload: {
    readonly type: string
    readonly component: unknown
    readonly data: Readonly<Record<string, unknown>>
  }
}

layer(database, { excludeTestServices: true })("the events of rollouts", (it) => {
  it.effect("a stop of the guard is announced if webhooks want it, and other changes are not", () =>
    Effect.gen(function*() {
      const [sql, store, one] = [yield* SqlClient.SqlClient, yield* RolloutStore, rollout("a component")]
      yield* store.create(one)
      yield* sql`insert into svc_followed_events (event) values ('rollout.stopped')`
      const changed = Rollout.change(one, { guard: null }, { at: 1_010, by: null })
      yield* store.replace(changed)
      const stopped = Rollout.stopVersions(changed, new Map([[2, "Too slow"]]), 1_020)
      yield* store.replace(stopped)
      yield* store.replace(Rollout.end(stopped, "over", { at: 1_030, by: null }))
      const jobs = yield* sql<Job>`select payload from svc_jobs where kind = 'webhook-event'`
      assert.deepStrictEqual(jobs.map(({ payload: { component, data, type } }) => [type, component, data]), [[
        "rollout.stopped",
        { kind: "agent", id: "a component" },
        {
          rollout_id: one.id,
          component_id: "a component",
          state: "stopped",
          reason: "Too slow",
          base_version: 1,
          versions: stopped.versions
        }
      ]])
    }))
})
