// The background work of a PostgreSQL server, which an embedded one lacks: without checkpoints its log and its recovery
// time grow without limit, without vacuum every update leaves a dead row. It handles one table at a time, because a
// statement blocks the process.
import { Effect, Schedule, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import type { SqlClient } from "effect/sql"

const Table = Schema.Struct({ name: Schema.String, analyze: Schema.Boolean })
const Log = Schema.Struct({ bytes: Schema.Finite })

/** Two segments of log are replayed in a tenth of a second. */
const checkpointAfter = 32 * 1024 * 1024

/** The thresholds of PostgreSQL's autovacuum. */
const changedTables = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: Table,
    execute: () =>
      sql`
        SELECT format('%I.%I', schemaname, relname) AS name, n_mod_since_analyze > 50 + 0.1 * reltuples AS analyze
        FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid
        WHERE n_dead_tup > 50 + 0.2 * reltuples
          OR n_mod_since_analyze > 50 + 0.1 * reltuples
          OR n_ins_since_vacuum > 1000 + 0.2 * reltuples`
  })

const allTables = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: Table,
    execute: () =>
      sql`
        SELECT oid::regclass::text AS name, false AS analyze FROM pg_class
        WHERE relkind IN ('r', 'm') AND NOT relisshared`
  })

const logSinceCheckpoint = (sql: SqlClient.SqlClient) =>
  SqlSchema.findOne({
    Request: Schema.Void,
    Result: Log,
    execute: () =>
      sql`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()`
  })

/** The counts of changes are lost with the process, so the first round handles every table. */
export const round = Effect.fn("Pglite.maintain")(
  function*(sql: SqlClient.SqlClient, options: { readonly all: boolean }) {
    const tables = yield* (options.all ? allTables(sql) : changedTables(sql))()
    yield* Effect.forEach(
      tables,
      ({ analyze, name }) =>
        // a table with an index of a missing extension cannot be read
        Effect.catch(
          sql.unsafe(`VACUUM (ANALYZE ${analyze}) ${name}`),
          (error) => Effect.logDebug(`The table ${name} was not tidied up`, error)
        ),
      { discard: true }
    )
    const { bytes } = yield* logSinceCheckpoint(sql)()
    if (bytes > checkpointAfter) yield* sql`CHECKPOINT`
    return { vacuumed: tables.length, checkpoint: bytes > checkpointAfter }
  }
)

/** Every minute, for as long as the scope is open. The next round repeats a failed one. */
export const start = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  let all = true
  yield* Effect.suspend(() => round(sql, { all })).pipe(
    Effect.tap(() => Effect.sync(() => all = false)),
    Effect.catchCause((cause) => Effect.logDebug("The embedded database was not tidied up", cause)),
    Effect.schedule(Schedule.spaced("1 minute")),
    Effect.forkScoped
  )
})
