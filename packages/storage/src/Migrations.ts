// Brings the schema of a database up to date. Several processes can start on one database at the same time: the first
// one migrates and the others wait.
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { migrations } from "./DatabaseContents.ts"
import { inTransaction } from "./internal/inTransaction.ts"
import { OlderNodesAlive, waitUntilStopped } from "./internal/olderNodes.ts"
import { isBroken, orUnavailable } from "./internal/orUnavailable.ts"

/** Records the executed migrations. */
export const table = "svc_migrations"

export { OlderNodesAlive }

/** A newer version of the service has migrated the database: this version could not read its data. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  found: Schema.Int,
  known: Schema.Int
}) {
  override get message() {
    return `The database was changed by a newer version of the service: it is at migration ${this.found}, and this ` +
      `version knows migrations up to ${this.known}. Start a version at least as new as the one that changed it.`
  }
}

const refuseNewer = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const known = Math.max(...(yield* migrations).map(([id]) => id))
  const [row] = yield* sql<{ readonly found: number | null }>`
    select max(migration_id)::int as found from ${sql(table)}`
  const found = row?.found ?? 0
  if (found > known) return yield* new SchemaTooNew({ found, known })
})

/** Of the advisory lock of the process that migrates. */
const lock = 5_710_232_117

// A lock that is tried, because waiting for one is a statement: its time limit may be shorter than the migrations of
// another process. The pause is a statement too, so that only the database measures it.
const alone = Effect.fnUntraced(function*<A, E, R>(migrate: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const whenFree = inTransaction(sql)(
    Effect.flatMap(
      sql<{ readonly isTaken: boolean }>`select pg_try_advisory_xact_lock(${lock}::bigint) as "isTaken"`,
      ([row]) => row?.isTaken === true ? Effect.asSome(migrate) : Effect.succeedNone
    )
  )
  const logOnce = yield* Effect.cached(Effect.logInfo("Waiting for another process that migrates the database"))
  for (;;) {
    const migrated = yield* whenFree
    if (Option.isSome(migrated)) return migrated.value
    yield* logOnce
    yield* sql`select pg_sleep(0.2)`
  }
})

/** A process that was suspended, a failover, a restart of the server: nothing of the migrations is stored then. */
const wasCut = (error: unknown): boolean => isBroken(error instanceof Migrator.MigrationError ? error.cause : error)

const whileCut = <A, E, R>(migrate: Effect.Effect<A, E, R>) =>
  migrate.pipe(
    // a connection that is lost cannot roll back either: what failed before is a defect then
    Effect.catchDefect((defect) =>
      defect instanceof Migrator.MigrationError ? Effect.fail(defect) : Effect.die(defect)
    ),
    Effect.tapError((error) => wasCut(error)
      ? Effect.logWarning("The connection was lost while the database was migrated. The migrations run again")
      : Effect.void
    ),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 30, while: wasCut })
  )

/** Executes the missing migrations and returns them. The database of a newer version is not changed. */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | OlderNodesAlive | SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = waitUntilStopped(table).pipe(
  Effect.andThen(whileCut(alone(Migrator.make({})({ loader: migrations, table })))),
  Effect.tap(() => refuseNewer),
  orUnavailable
)

export const layer: Layer.Layer<
  never,
  Migrator.MigrationError | OlderNodesAlive | SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = Layer.effectDiscard(run)
