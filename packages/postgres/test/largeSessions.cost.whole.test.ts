// What a session with many runs costs the database, in pages that are read and in rows of one statement.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { ending, events, newRun, session, sessionId, talk } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Layer, Option } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import * as SqlRetentionStore from "../src/SqlRetentionStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"
import { pagesOfCall } from "./pagesOf.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(6)

const responseLimit = 64 * 1024

const anyone = { owner: Owner.anyone }

/** Ended runs, each with messages and with eight events. */
const sessionOf = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const runs = yield* RunStore
  const first = newRun({ session_id: sessionId() })
  yield* runs.create(first)
  yield* runs.finish(ending(first, { events: events(first, 6), run: { messages: talk("q", "a") } }))
  yield* sql`
    insert into svc_runs (
      run_id, session_id, kind, component_id, node, status, created_at, updated_at, output, history_bytes
    )
    select run_id || '-' || copy, session_id, kind, component_id, node, status, created_at, updated_at, output,
      history_bytes
    from svc_runs, generate_series(2, ${count}::int) as copy where run_id = ${first.run_id}`
  const others = sql`
    from svc_runs o join svc_runs r on r.run_id = ${first.run_id} and o.session_id = r.session_id and o.seq <> r.seq`
  yield* sql`
    insert into svc_messages (run_seq, position, role, from_history, body)
    select o.seq, position, role, from_history, body ${others} join svc_messages m on m.run_seq = r.seq`
  yield* sql`
    insert into svc_run_events (run_seq, event_index, kind, body)
    select o.seq, event_index, e.kind, body ${others} join svc_run_events e on e.run_seq = r.seq`
  return first.session_id
})

const stores = Stores.pipe(
  Layer.provideMerge(Layer.merge(Layer.provide(SqlRetentionStore.layer, SqlStores.expiry), SqlApprovalStore.layer)),
  Layer.provideMerge(PgliteLayer.layerCopied)
)

layer(stores)("The cost of large sessions", (it) => {
  it.effect("a page of runs reads the messages and events of its own runs only", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const pages: Array<number> = []
      for (const count of [50, 2000]) {
        const id = yield* sessionOf(count)
        const page = runs.list(id, anyone, { page: 1, limit: 20 })
        assert.lengthOf(Option.getOrThrow(yield* page), 20)
        pages.push(yield* pagesOfCall(page))
      }
      const [short, long] = pages
      // the rows of the runs are read to count them, without what belongs to them
      assert.isAtMost(long!, short! + 300, JSON.stringify(pages))
    }))

  it.effect("a conversation that is larger than a response reads the newest runs only, also to measure it", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const pages: Array<number> = []
      const limiter = { isReadOnly: true, admit: () => Effect.void, pieces: ReadLimiter.unlimited }
      for (const count of [2000, 8000]) {
        const id = yield* sessionOf(count)
        const read = Effect.provideService(sessions.getConversation(id, Owner.anyone), ReadLimiter.ReadLimiter, limiter)
        const { chat, isWhole } = yield* read
        assert.isFalse(isWhole)
        assert.isAbove(chat.length, responseLimit / 2)
        pages.push(yield* pagesOfCall(read))
      }
      const [short, long] = pages
      assert.isAtMost(long!, short! + 300, JSON.stringify(pages))
    }).pipe(
      Effect.provide(
        Layer.provide(Layer.fresh(SqlSessionStore.layer), StoreLimits.layerWith({ response: responseLimit }))
      )
    ))

  it.effect("a session is removed with at most 500 runs in a statement, and an interrupted removal can be repeated", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const sessions = yield* SessionStore
      const [id, other] = [yield* sessionOf(1300), yield* sessionOf(3)]
      yield* sql`create table removed_runs (count integer)`
      yield* sql`
        create function count_removed_runs() returns trigger language plpgsql as $$
        begin
          insert into removed_runs select count(*) from gone;
          return null;
        end $$`
      yield* sql`
        create trigger count_removed_runs after delete on svc_runs
        referencing old table as gone for each statement execute function count_removed_runs()`
      const counts = Effect.map(
        sql<{ readonly count: number }>`select count from removed_runs where count > 0`,
        (rows) => rows.map(({ count }) => count)
      )
      let executed = 0
      const interrupted: Statement.Transformer = (statement) =>
        Effect.suspend(() => ++executed < 4 ? Effect.succeed(statement) : Effect.die("interrupted"))
      const remove = sessions.remove([id, other], Owner.anyone)
      yield* Effect.exit(Effect.provideService(remove, Statement.CurrentTransformer, interrupted))
      assert.isNotEmpty(yield* counts)
      yield* remove
      for (const one of [id, other]) assert.isTrue(Option.isNone(yield* sessions.find(one, Owner.anyone)))
      assert.isAtMost(Math.max(...(yield* counts)), 500)
      assert.strictEqual((yield* counts).reduce((sum, count) => sum + count, 0), 1303)
    }))

  it.effect("nothing of a large session is visible from the first piece of its removal on", () =>
    Effect.gen(function*() {
      const [approvals, runs, sessions] = [yield* ApprovalStore, yield* RunStore, yield* SessionStore]
      const id = yield* sessionOf(1300)
      const [{ run_id } = assert.fail()] = Option.getOrThrow(yield* runs.list(id, anyone, { page: 1, limit: 1 }))
      const run = Run.Id.make(run_id)
      const total = Effect.map(
        sessions.list({ owner: Owner.anyone }, { page: 1, limit: 100 }, { by: "created_at", order: "desc" }),
        ({ sessions, total }) => ({ total, isListed: sessions.some(({ session_id }) => session_id === id) })
      )
      const before = yield* total
      const open = approval({ run_id: run, session_id: id })
      yield* approvals.create(open, run)
      yield* approvals.get(open.id, Owner.anyone, 0)
      let executed = 0
      const afterOne: Statement.Transformer = (statement) =>
        Effect.suspend(() => ++executed < 2 ? Effect.succeed(statement) : Effect.die("interrupted"))
      yield* Effect.exit(
        Effect.provideService(sessions.remove([id], Owner.anyone), Statement.CurrentTransformer, afterOne)
      )
      assert.isTrue(Option.isNone(yield* sessions.find(id, Owner.anyone)))
      assert.deepStrictEqual(yield* total, { total: before.total - 1, isListed: false })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sessions.getConversation(id, Owner.anyone))))
      assert.isTrue(Option.isNone(yield* runs.list(id, anyone)))
      assert.isTrue(Option.isNone(yield* runs.find(id, run, anyone)))
      assert.isTrue(Option.isNone(yield* runs.readEvents(id, run, anyone, { after: -1, limit: 10 })))
      assert.strictEqual((yield* Effect.flip(approvals.get(open.id, Owner.anyone, 0)))._tag, "ApprovalNotFound")
      // its id is free when the removal has ended
      const next = newRun({ session_id: id })
      assert.strictEqual((yield* Effect.flip(runs.create(next)))._tag, "StorageUnavailable")
      assert.strictEqual((yield* Effect.flip(sessions.create(session({ session_id: id }))))._tag, "StorageUnavailable")
      yield* sessions.remove([id], Owner.anyone)
      yield* runs.create(next)
    }))

  it.effect("retention ends a removal that was interrupted", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const retention = yield* RetentionStore
      const sessions = yield* SessionStore
      const id = yield* sessionOf(600)
      yield* sql`update svc_sessions set removed_at = extract(epoch from now())::bigint - 60 where session_id = ${id}`
      assert.strictEqual(yield* retention.prune("sessions", 120), 0)
      assert.strictEqual(yield* retention.prune("sessions", 30), 1)
      assert.strictEqual(yield* retention.prune("sessions", 30), 0)
      yield* sessions.create(session({ session_id: id }))
      assert.deepStrictEqual(Option.getOrThrow(yield* (yield* RunStore).list(id, anyone)), [])
    }))
})
