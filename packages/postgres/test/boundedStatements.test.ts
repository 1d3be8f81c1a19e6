// Statements that nodes and lists repeat use an index, and the statement that many runs share reads little.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Sort from "@svc-runtime/domain/Sort"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { type SessionFilter, SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { ending, message, newRun, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Ref } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { Stores } from "./Stores.ts"

type Text = readonly [sql: string, parameters: ReadonlyArray<unknown>]

/** The statements that an effect executes. */
const statementsOf = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const texts = yield* Ref.make<ReadonlyArray<Text>>([])
  const noting: Statement.Transformer = (statement) =>
    Effect.as(Ref.update(texts, (all) => [...all, statement.compile()]), statement)
  yield* Effect.provideService(effect, Statement.CurrentTransformer, noting)
  return yield* Ref.get(texts)
})

/** Where an index fits, it is taken. */
const plansOf = Effect.fnUntraced(function*(texts: ReadonlyArray<Text>) {
  const sql = yield* SqlClient.SqlClient
  const explained = Effect.forEach(texts, ([text, parameters]) => sql.unsafe(`explain (verbose) ${text}`, parameters))
  const rows = yield* sql.withTransaction(
    Effect.andThen(Effect.andThen(sql`set local enable_seqscan = off`, sql`set local enable_sort = off`), explained)
  )
  return JSON.stringify(rows)
})

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("Bounded statements", (it) => {
  it.effect("requested cancellations are found in an index", () =>
    Effect.gen(function*() {
      const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
      for (let n = 0; n < 200; n++) yield* runs.create(newRun({ node: "node" }))
      yield* sql`analyze svc_runs`
      assert.include(yield* plansOf(yield* statementsOf(runs.cancelRequested("node"))), "svc_runs_cancelled")
    }))

  it.effect("sessions are sorted by name and counted in an index", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const page = { page: 1, limit: 10 }
      const sort = { by: "session_name", order: "asc" as Sort.Order } as const
      const listed = (filter: SessionFilter) => Effect.flatMap(statementsOf(sessions.list(filter, page, sort)), plansOf)
      const named = yield* listed({ owner: Owner.anyone })
      assert.include(named, "svc_sessions_by_name")
      assert.notMatch(named, /Sort Key: [^,]*left/i)
      const [user, sql] = [userId(), yield* SqlClient.SqlClient]
      yield* sql`
        insert into svc_sessions (session_id, session_type, user_id, created_at, updated_at)
        select 'counted-' || number, 'agent', ${user}, 1, 1 from generate_series(1, 1000) as number`
      yield* sql`vacuum analyze svc_sessions`
      assert.include(yield* listed({ owner: Owner.user(user), kind: "agent" }), "svc_sessions_counted")
    }))

  it.effect("a large history is read by a statement of its own, not by the one that many runs share", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const of = Effect.fnUntraced(function*(bytes: number) {
        const begun = newRun()
        yield* runs.create(begun)
        const messages = Array.from({ length: 8 }, () => message("user", "x".repeat(bytes / 8)))
        yield* runs.finish(ending(begun, { run: { messages } }))
        return (yield* statementsOf(runs.create(newRun({ session_id: begun.session_id, history: 1 })))).length
      })
      assert.strictEqual(yield* of(8 * 1024), 1)
      assert.strictEqual(yield* of(128 * 1024), 2)
    }))
})
