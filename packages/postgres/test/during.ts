// Two of the stores' statements that meet in the database: one of them is stopped half-way, inside of a transaction,
// until the database says that the other one waits for it.
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"

/** The connection that waits for a lock, as soon as there is one. */
export const waiting = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return rows[0]?.pid
}).pipe(Effect.repeat({ until: (pid) => pid !== undefined }), Effect.map((pid) => pid!))

/**
 * Runs `second` while `first` has done its work and not committed it; `first` ends with `last` once `second` waits.
 * Gives what `second` came to.
 */
export const during = Effect.fnUntraced(function*<A, E, R, E1, R1, E2 = never, R2 = never>(
  first: Effect.Effect<unknown, E1, R1>,
  second: Effect.Effect<A, E, R>,
  last?: Effect.Effect<unknown, E2, R2>
) {
  const sql = yield* SqlClient.SqlClient
  const [begun, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const holder = yield* first.pipe(
    Effect.andThen(Deferred.succeed(begun, undefined)),
    Effect.andThen(Deferred.await(released)),
    Effect.andThen(last ?? Effect.void),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* Deferred.await(begun)
  const other = yield* Effect.forkChild(Effect.result(second))
  yield* waiting
  yield* Deferred.succeed(released, undefined)
  yield* Fiber.join(holder)
  return yield* Fiber.join(other)
})
