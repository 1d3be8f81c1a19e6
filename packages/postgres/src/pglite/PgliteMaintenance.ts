// The background work of a PostgreSQL server, which an embedded one lacks: without checkpoints its log and its recovery
// time grow without limit, without vacuum every update leaves a dead row. Each table has statements of its own, because
// a statement blocks the process.
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect, Schedule, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import type { SqlClient } from "effect/sql"

const Table = Schema.Struct({
  name: Schema.String,
  isVacuumed: Schema.Boolean,
  isAnalyzed: Schema.Boolean,
  /** It has an index of vectors. */
  hasVectors: Schema.Boolean
})
type Table = typeof Table.Type
const Log = Schema.Struct({ bytes: Schema.Finite })

/** Two segments of log are replayed in a tenth of a second. */
const checkpointAfter = 32 * 1024 * 1024

const hasVectors = String.raw`c.relname LIKE 'svc\_vectors\_%' AS "hasVectors"`

/**
 * The thresholds of PostgreSQL's autovacuum, which handles the long values of a table as a table too. Dead rows that
 * stay for the entries of an index are no reason.
 */
const changedTables = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: Table,
    execute: () =>
      sql`
        SELECT name, "hasVectors", "hasChanged" AS "isAnalyzed", "hasNew" OR "hasDead" AND NOT "hasVectors" AS "isVacuumed"
        FROM (
          SELECT c.oid::regclass::text AS name, ${sql.literal(hasVectors)},
            n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0) AND c.relkind <> 't' AS "hasChanged",
            n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0) AS "hasDead",
            n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0) AS "hasNew"
          FROM pg_stat_all_tables s JOIN pg_class c ON c.oid = s.relid
          WHERE s.schemaname NOT IN ('pg_catalog', 'information_schema')
        ) t
        WHERE "hasChanged" OR "hasNew" OR "hasDead" AND NOT "hasVectors"`
  })

const allTables = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: Table,
    execute: () =>
      sql`
        SELECT c.oid::regclass::text AS name, ${sql.literal(hasVectors)}, false AS "isAnalyzed", true AS "isVacuumed"
        FROM pg_class c WHERE c.relkind IN ('r', 'm', 't') AND NOT c.relisshared`
  })

/** Removing dead entries from an index of vectors takes seconds, so it is made anew instead. */
const tidyUp = (sql: SqlClient.SqlClient, { hasVectors, isAnalyzed, isVacuumed, name }: Table) =>
  Effect.gen(function*() {
    const cleanup = hasVectors ? "off" : "auto"
    if (isVacuumed) yield* sql.unsafe(`VACUUM (PROCESS_TOAST false, INDEX_CLEANUP ${cleanup}) ${name}`)
    if (isAnalyzed) yield* sql.unsafe(`ANALYZE ${name}`)
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
      (table) =>
        // a table with an index of a missing extension cannot be read
        Effect.catch(
          tidyUp(sql, table),
          (error) => Effect.logDebug(`The table ${table.name} was not tidied up`, error)
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
    Effect.catchCause((cause) => Effect.logWarning("The embedded database was not tidied up", cause)),
    LogPart.inPart("database"),
    Effect.schedule(Schedule.spaced("1 minute")),
    Effect.forkScoped
  )
})
