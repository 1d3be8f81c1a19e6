// Embedded databases in memory, for tests of the SQL.
import * as Pglite from "@svc-runtime/postgres/Pglite"
import { preparedDatabase } from "@svc-runtime/testing/TestDatabase"
import { Effect, Layer } from "effect"

/** Provides `SqlClient` and `PgClient`: an empty database with all migrations, which an earlier test may have used. */
export { layerSqlClient as layer } from "@svc-runtime/testing/TestDatabase"

/** The same as a new copy, for tests of plans and costs: what they see depends on the pages of tables. */
export const layerCopied = Layer.unwrap(Effect.map(preparedDatabase, (prepared) => Pglite.layerPrepared(prepared)))

/** Without tables. */
export const layerEmpty = Pglite.layerMemory

/** Creates a data directory whose database has all migrations, for a service that would create it in a second. */
export const install = (dataDir: string) =>
  Effect.flatMap(preparedDatabase, (prepared) => Pglite.install(prepared, dataDir))
