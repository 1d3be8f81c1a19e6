// What a session with many runs costs the database, in pages that are read and in rows of one statement.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import { RunStore } from "@svc/runtime/run/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { beginning, ending, events, sessionId, talk } from "@svc/testing/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { pagesOfCall } from "./pagesOf.ts"
import { Stores } from "./Stores.ts"

const anyone = { owner: Owner.anyone }

/** Ended runs, each with messages and with eight events. */
const sessionOf = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const runs = yield* RunStore
  const first = beginning({ session_id: sessionId() })
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

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))("The cost of large sessions", (it) => {
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
      assert.isTrue(Option.isSome(yield* sessions.find(id, Owner.anyone)))
      assert.isNotEmpty(yield* counts)
      yield* remove
      for (const one of [id, other]) assert.isTrue(Option.isNone(yield* sessions.find(one, Owner.anyone)))
      assert.isAtMost(Math.max(...(yield* counts)), 500)
      assert.strictEqual((yield* counts).reduce((sum, count) => sum + count, 0), 1303)
    }))
})
