// A session that is locked or large delays no run of another session.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { ending, newRun, runId, session, talk } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { waiting } from "./during.ts"
import { statementsOf } from "./statementsOf.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(2)

/** Locks a row until what is done meanwhile is done. */
const whileLocked = Effect.fnUntraced(function*<A, E, R, E1, R1>(
  lock: Effect.Effect<unknown, E1, R1>,
  meanwhile: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const holder = yield* lock.pipe(
    Effect.andThen(Deferred.succeed(locked, undefined)),
    Effect.andThen(Deferred.await(end)),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* Deferred.await(locked)
  return yield* Effect.ensuring(
    meanwhile,
    Effect.andThen(Deferred.succeed(end, undefined), Fiber.await(holder))
  )
})

layer(Stores.pipe(Layer.provideMerge(PostgresLayer.layer)), { excludeTestServices: true })(
  "Other sessions",
  (it) => {
    it.effect("runs of other sessions are created and end while runs of a locked session wait, which are created afterwards", () =>
      Effect.gen(function*() {
        const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
        const first = newRun()
        yield* runs.create(first)
        const begins = Array.from({ length: 8 }, () => ({ ...first, run_id: runId() }))
        const fibers = yield* whileLocked(
          sql`select from svc_sessions where session_id = ${first.session_id} for update`,
          Effect.gen(function*() {
            const held = yield* Effect.forEach(begins, (begun) => Effect.forkChild(runs.create(begun)))
            yield* waiting
            yield* Effect.forEach(Array.from({ length: 50 }), () => {
              const other = newRun()
              return Effect.andThen(runs.create(other), runs.finish(ending(other)))
            }, { concurrency: 10 })
            assert.deepStrictEqual(held.map((fiber) => fiber.pollUnsafe()), held.map(() => undefined))
            return held
          })
        )
        yield* Effect.forEach(fibers, Fiber.join)
        const listed = yield* runs.list(first.session_id, { owner: Owner.anyone })
        assert.strictEqual(Option.getOrThrow(listed).length, 9)
      }))

    it.effect("runs of other sessions end while the end of a run of a locked session waits", () =>
      Effect.gen(function*() {
        const [runs, sessions, sql] = [yield* RunStore, yield* SessionStore, yield* SqlClient.SqlClient]
        const first = newRun()
        yield* runs.create(first)
        const others = Array.from({ length: 20 }, () => newRun())
        yield* Effect.forEach(others, runs.create, { concurrency: "unbounded" })
        const fiber = yield* whileLocked(
          sql`select from svc_sessions where session_id = ${first.session_id} for update`,
          Effect.gen(function*() {
            const held = yield* Effect.forkChild(runs.finish(ending(first, { usage: { input_tokens: 1 } })))
            yield* Effect.forEach(others, (other) => runs.finish(ending(other)), { concurrency: "unbounded" })
            assert.isUndefined(held.pollUnsafe())
            return held
          })
        )
        assert.isTrue(yield* Fiber.join(fiber))
        const stored = yield* Effect.flatMap(sessions.find(first.session_id, Owner.anyone), Effect.fromOption)
        assert.deepStrictEqual(stored.session_metrics, { input_tokens: 1 })
      }))

    it.effect("runs are not refused when a history is larger than a reply of the driver can be", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const large = newRun()
        const text = "x".repeat(40 * 1024 * 1024)
        for (const begun of [large, ...[1, 2, 3].map(() => ({ ...large, run_id: runId() }))]) {
          yield* runs.create(begun)
          yield* runs.finish(ending(begun, { run: { messages: talk(text, "a") } }))
        }
        const [heavy, innocent] = yield* Effect.all([
          Effect.forEach(Array.from({ length: 6 }), () => runs.create({ ...large, run_id: runId(), history: 3 }), {
            concurrency: "unbounded"
          }),
          Effect.forEach(Array.from({ length: 50 }), () => runs.create(newRun()), { concurrency: 10 })
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(heavy.map(({ history }) => history), heavy.map(() => []))
        assert.strictEqual(innocent.length, 50)
      }))

    it.effect("a session with many events is removed in pieces, and all of it", () =>
      Effect.gen(function*() {
        const [runs, sessions, sql] = [yield* RunStore, yield* SessionStore, yield* SqlClient.SqlClient]
        const [large, kept] = [newRun(), newRun()]
        for (const begun of [large, kept]) {
          yield* runs.create(begun)
          yield* sql`
            insert into svc_run_events (run_seq, event_index, kind, body)
            select seq, n, 'RunContent', '{}' from svc_runs, generate_series(1, 25000) as n
            where run_id = ${begun.run_id}`
        }
        const statements = yield* statementsOf(sessions.remove([large.session_id], Owner.anyone))
        assert.strictEqual(statements, 5)
        assert.isTrue(Option.isNone(yield* sessions.find(large.session_id, Owner.anyone)))
        assert.deepStrictEqual(
          yield* sql`select count(*)::int as count from svc_run_events where kind = 'RunContent'`,
          [
            { count: 25_000 }
          ]
        )
      }))

    it.effect("runs are created beside a run whose input is large", () =>
      Effect.gen(function*() {
        const [runs, sessions] = [yield* RunStore, yield* SessionStore]
        const stored = session()
        yield* sessions.create(stored)
        const large = newRun({
          session_id: stored.session_id,
          input: { input_content: "x".repeat(30 * 1024 * 1024) }
        })
        yield* Effect.all([runs.create(large), ...Array.from({ length: 20 }, () => runs.create(newRun()))], {
          concurrency: "unbounded"
        })
        const found = yield* runs.find(large.session_id, large.run_id, { owner: Owner.anyone })
        assert.isTrue(Option.isSome(found))
      }))
  }
)
