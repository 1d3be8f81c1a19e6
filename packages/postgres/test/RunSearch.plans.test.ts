// The plans of searches for what one user or one tenant has among many.
import { assert, layer } from "@effect/vitest"
import { UserId } from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { texts } from "../src/sql/rows.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(3)

/** The rows of these tables that the transaction has read so far. */
const readsOf = (sql: SqlClient.SqlClient, tables: ReadonlyArray<string>) =>
  Effect.map(
    sql<{ readonly read: number }>`
      select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as read
      from pg_stat_xact_user_tables where ${sql.in("relname", tables)}`,
    ([row]) => row?.read ?? 0
  )

const tenantUsers = [
  "tenant:acme:",
  "tenant:acme:ann",
  "tenant:acme:\u{10ffff}",
  "__scheduler__:tenant:acme:bob",
  "tenant:acm:ann",
  "tenant:ACME:ann",
  "tenant:acme-2:ann",
  "tenant:acme;"
]

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("The search for runs", (it) => {
  it.effect("the runs of a user are found without reading those of others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into svc_sessions (session_id, session_type, agent_id, user_id, created_at, updated_at)
        select 'session-' || number, 'agent', 'a', 'user-' || number, 1, 1 from generate_series(1, 3000) as number`
      yield* sql`
        insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
        select 'run-' || number, 'session-' || number, 'agent', 'a', 'node', 'COMPLETED', 1, 1, '{}'
        from generate_series(1, 3000) as number`
      const { search } = yield* RunStore
      const reads = readsOf(sql, ["svc_runs"])
      yield* sql.withTransaction(Effect.gen(function*() {
        const before = yield* reads
        const found = yield* search({
          filter: { owner: Owner.user(UserId.make("user-7")), component: { kind: "agent", id: "a" } },
          limit: 10
        })
        assert.deepStrictEqual([found.runs.map(({ run_id }) => run_id), found.total], [["run-7"], 1])
        assert.isBelow((yield* reads) - before, 20)
      }))
    }))

  it.effect("a run, and the runs of a session, are found without reading the other sessions of their user", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into svc_sessions (session_id, session_type, agent_id, user_id, created_at, updated_at)
        select 'own-' || number, 'agent', 'b', 'ann', 1, 1 from generate_series(1, 3000) as number`
      yield* sql`
        insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
        select 'own-run-' || number, 'own-' || number, 'agent', 'b', 'node', 'COMPLETED', 1, 1, '{}'
        from generate_series(1, 3000) as number`
      const { search } = yield* RunStore
      const reads = readsOf(sql, ["svc_runs", "svc_sessions"])
      const filter = { owner: Owner.user(UserId.make("ann")), component: { kind: "agent", id: "b" } } as const
      yield* sql.withTransaction(Effect.gen(function*() {
        for (const wanted of [{ run_id: Run.Id.make("own-run-7") }, { session_id: Session.Id.make("own-7") }]) {
          const before = yield* reads
          const found = yield* search({ filter, ...wanted, limit: 10 })
          assert.deepStrictEqual([found.runs.map(({ run_id }) => run_id), found.total], [["own-run-7"], 1])
          assert.isBelow((yield* reads) - before, 20)
        }
      }))
    }))

  it.effect("runs that failed or wait are found without reading the others of their component", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into svc_sessions (session_id, session_type, agent_id, user_id, created_at, updated_at)
        select 'held-' || number, 'agent', 'c', 'ann', 1, 1 from generate_series(1, 3000) as number`
      yield* sql`
        insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
        select 'held-run-' || number, 'held-' || number, 'agent', 'c', 'node',
          case number when 7 then 'PAUSED' when 8 then 'ERROR' else 'COMPLETED' end, 1, number, '{}'
        from generate_series(1, 3000) as number`
      const { search } = yield* RunStore
      const reads = readsOf(sql, ["svc_runs", "svc_sessions"])
      const filter = { owner: Owner.anyone, component: { kind: "agent", id: "c" } } as const
      const looked = sql.withTransaction(Effect.gen(function*() {
        for (const [status, run_id] of [["PAUSED", "held-run-7"], ["ERROR", "held-run-8"]] as const) {
          const before = yield* reads
          const found = yield* search({ filter, statuses: [status], limit: 10 })
          assert.deepStrictEqual([found.runs.map(({ run_id }) => run_id), found.total], [[run_id], 1])
          assert.isBelow((yield* reads) - before, 20)
        }
      }))
      yield* looked
      yield* sql`vacuum analyze`
      yield* looked
    }))

  it.effect("the sessions of a tenant are found without reading those of others, by one plan for all tenants", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const inserted = (users: Statement.Fragment) =>
        sql`
          insert into svc_sessions (session_id, session_type, agent_id, user_id, created_at, updated_at)
          select 'of ' || user_id, 'agent', 'd', user_id, 1, 1 from ${users} as user_id`
      yield* inserted(sql`unnest(${texts(tenantUsers)}::text[])`)
      yield* inserted(sql`(select 'tenant:t' || number || ':ann' from generate_series(1, 3000) as number)`)
      yield* sql`vacuum analyze svc_sessions`
      const { list } = yield* SessionStore
      const owner = Owner.tenant("acme")
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local plan_cache_mode = force_generic_plan`
        const reads = readsOf(sql, ["svc_sessions"])
        const before = yield* reads
        const { sessions } = yield* list({ owner }, { page: 1, limit: 10 }, { by: "session_name", order: "asc" })
        assert.isBelow((yield* reads) - before, 50)
        assert.deepStrictEqual(
          sessions.map(({ user_id }) => String(user_id)).toSorted(),
          tenantUsers.filter((user) => Owner.covers(owner, UserId.make(user))).toSorted()
        )
      }))
    }))
})
