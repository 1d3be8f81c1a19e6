// Locks all tables of traces for migrations of one of them, while other nodes write to them. Their statements lock the
// tables in any order, so each try ends before the database looks for a deadlock, and gives back what it has locked.
import { isLockTimeout } from "@svc-runtime/postgres/sql/orUnavailable"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Shorter than the time after which the database looks for a deadlock. */
const lockTimeout = "500ms"

const waits = LogPart.inPart("database")(
  Effect.logWarning("A migration waits for transactions that use the tables of traces, such as a backup")
)

export const lockTables = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const locked = sql.withTransaction(
    sql`set local lock_timeout = ${sql.literal(`'${lockTimeout}'`)}`.pipe(
      Effect.andThen(sql`lock table svc_traces, svc_spans, svc_trace_removals in access exclusive mode`),
      Effect.andThen(sql`set local lock_timeout = 0`),
      Effect.as(true)
    )
  )
  for (let tries = 1; !(yield* Effect.catchIf(locked, isLockTimeout, () => Effect.succeed(false))); tries++) {
    if (tries === 10) yield* waits
    yield* sql`select pg_sleep(0.1)`
  }
})
