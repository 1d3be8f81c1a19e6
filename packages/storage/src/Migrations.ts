// Brings the schema of a database up to date. Several processes can start on one database at the same time: the first
// one migrates and the others wait.
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { migrations } from "./DatabaseContents.ts"
import { OlderNodesAlive, waitUntilStopped } from "./internal/olderNodes.ts"
import { orUnavailable } from "./internal/orUnavailable.ts"

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

/** Executes the missing migrations and returns them. The database of a newer version is not changed. */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | OlderNodesAlive | SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = waitUntilStopped(table).pipe(
  Effect.andThen(Migrator.make({})({ loader: migrations, table })),
  Effect.tap(() => refuseNewer),
  orUnavailable
)

export const layer: Layer.Layer<
  never,
  Migrator.MigrationError | OlderNodesAlive | SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = Layer.effectDiscard(run)
