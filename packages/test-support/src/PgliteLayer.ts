// Embedded databases in memory, for tests of the SQL.
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as Pglite from "@svc-runtime/postgres/Pglite"
import { preparedDatabase } from "@svc-runtime/testing/TestDatabase"
import { Effect, Layer } from "effect"

/**
 * Provides `SqlClient`, `PgClient` and the default limits: an empty database with all migrations, which an earlier test
 * may have used.
 */
export { layerSqlClient as layer } from "@svc-runtime/testing/TestDatabase"

/** The same as a new copy, for tests of plans and costs: what they see depends on the pages of tables. */
export const layerCopied = Layer.merge(
  Layer.unwrap(Effect.map(preparedDatabase, (prepared) => Pglite.layerPrepared(prepared))),
  StoreLimits.layerWith()
)

/** Without tables. */
export const layerEmpty = Layer.merge(Pglite.layerMemory, StoreLimits.layerWith())

/** Creates a data directory whose database has all migrations, for a service that would create it in a second. */
export const install = (dataDir: string) =>
  Effect.flatMap(preparedDatabase, (prepared) => Pglite.install(prepared, dataDir))
