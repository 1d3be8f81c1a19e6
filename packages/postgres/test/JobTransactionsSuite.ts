// Jobs as rows: they are stored in the transaction of what they are about, and a damaged one harms no other.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as FaultySql from "@svc-runtime/test-support/FaultySql"
import { acquire, enqueue, job, list } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { session } from "@svc-runtime/test-support/suites/Samples"
import { Cause, Effect, Exit, Layer, Option, References } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlServices } from "../src/ShortStatements.ts"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import { Stores } from "./Stores.ts"

/** What a damaged row may say in each column of a waiting job. */
const damages: Readonly<Record<string, ReadonlyArray<string>>> = {
  key: ["''", "repeat('x', 1000)"],
  payload: ["'null'", "'3'", "(repeat('[', 3000) || repeat(']', 3000))::json"],
  progress: ["'null'", "(repeat('[', 3000) || repeat(']', 3000))::json"],
  attempts: ["-1", "1000000", "2147483647"],
  max_attempts: ["-1", "0", "2147483647"],
  user_id: ["''", "'nonsense'"],
  turn: ["-1", "9223372036854775807"],
  lease: ["-1", "2147483646", "2147483647"],
  run_at: ["'infinity'", "'-infinity'", "'0001-01-01'"],
  created_at: ["'infinity'", "'-infinity'"],
  updated_at: ["'infinity'", "'-infinity'"]
}

export const suite = <E>(name: string, database: Layer.Layer<SqlServices, E>) =>
  layer(Layer.mergeAll(SqlJobStore.layer, Stores).pipe(Layer.provideMerge(database)), {
    excludeTestServices: true
  })(`Jobs in transactions, ${name}`, (it) => {
    it.effect("exist if and only if the transaction that enqueued them is committed", () =>
      Effect.gen(function*() {
        const [sql, jobs, sessions] = [yield* SqlClient.SqlClient, yield* JobStore, yield* SessionStore]
        const { kind } = job()
        const store = (one: ReturnType<typeof session>, end: Effect.Effect<void, string>) =>
          sql.withTransaction(
            sessions.create(one).pipe(
              Effect.andThen(jobs.enqueue(job({ kind, session_id: one.session_id }))),
              Effect.andThen(end)
            )
          )
        const [refused, stored] = [session(), session()]
        assert.strictEqual(yield* Effect.flip(store(refused, Effect.fail("refused"))), "refused")
        yield* store(stored, Effect.void)
        assert.isTrue(Option.isNone(yield* sessions.find(refused.session_id, Owner.anyone)))
        assert.isTrue(Option.isSome(yield* sessions.find(stored.session_id, Owner.anyone)))
        assert.deepStrictEqual((yield* list({ kind })).jobs.map(({ session_id }) => session_id), [stored.session_id])
      }))

    it.effect("jobs are acquired beside a job whose row is damaged, in any column", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const failures: Array<string> = []
        for (const [column, values] of Object.entries(damages)) {
          for (const value of values) {
            const { kind } = job()
            const [damaged, whole] = [job({ kind, key: "damaged" }), job({ kind, key: "whole" })]
            yield* enqueue(damaged, whole)
            const damage = yield* Effect.exit(
              sql.unsafe(`update svc_jobs set ${column} = ${value} where id = $1`, [damaged.id])
            )
            // the database itself does not take it
            if (Exit.isFailure(damage)) continue
            const acquired = yield* Effect.exit(acquire(kind, 2))
            const served = Exit.isSuccess(acquired) && acquired.value.some(({ id }) => id === whole.id)
            if (!served) failures.push(`${column} = ${value}`)
            const listed = yield* Effect.exit(list({ kind }))
            if (Exit.isFailure(listed)) failures.push(`the list with ${column} = ${value}`)
          }
        }
        assert.deepStrictEqual(failures, [])
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

    it.effect("unreadable jobs are stored as FAILED", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { kind } = job()
        const [damaged, whole] = [job({ kind }), job({ kind })]
        yield* enqueue(damaged, whole)
        yield* sql`alter table svc_jobs drop constraint svc_jobs_max_attempts_check`
        yield* sql`update svc_jobs set max_attempts = -1 where id = ${damaged.id}`
        assert.deepStrictEqual((yield* acquire(kind, 2)).map(({ id }) => id), [whole.id])
        const [row] = yield* sql`select status, last_error from svc_jobs where id = ${damaged.id}`
        assert.deepStrictEqual(row, { status: "FAILED", last_error: "The stored job cannot be read" })
        yield* sql`delete from svc_jobs where id = ${damaged.id}`
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

    it.effect.each(Object.entries(FaultySql.faults))(
      "under %s all methods fail with StorageUnavailable, and a read of one job with a defect if its row is unreadable",
      ([, fault]) =>
        Effect.gen(function*() {
          const store = yield* JobStore
          const { id, kind } = job()
          const calls: Readonly<Record<string, Effect.Effect<unknown, { readonly _tag: string }>>> = {
            enqueue: store.enqueue(job()),
            find: store.find(id, Owner.anyone),
            list: store.list({ owner: Owner.anyone }, { page: 1, limit: 1 }),
            cancel: store.cancel(id, Owner.anyone),
            acquire: store.acquire({ node: "node", slots: { [kind]: 1 } }),
            takeOver: store.takeOver({ node: "node", executing: [], isSteady: true }),
            sync: store.sync([{ id, lease: 1, progress: 1 }]),
            finish: store.finish({ id, lease: 1 }, { _tag: "Completed" })
          }
          for (const [method, call] of Object.entries(calls)) {
            const exit = yield* Effect.exit(FaultySql.during(call, fault))
            if (fault === FaultySql.faults["a row of another version"] && method === "find") {
              assert.isTrue(Exit.hasDies(exit), method)
              continue
            }
            if (Exit.isSuccess(exit)) continue
            assert.isFalse(Cause.hasDies(exit.cause), `${method}: ${Cause.pretty(exit.cause)}`)
            const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
            assert.strictEqual(error?._tag, "StorageUnavailable", method)
          }
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
  })
