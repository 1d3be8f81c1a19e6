// An embedded database in memory for each time the layer is built. Each is a copy of one that has all migrations, which
// is prepared once in each process.
import { Migrations } from "@svc/storage"
import * as Pglite from "@svc/storage/Pglite"
import { Effect, Layer } from "effect"

const migrated = Effect.runSync(Effect.cached(Effect.orDie(Pglite.prepare(Migrations.run))))

/** Provides `SqlClient` and `PgClient`. */
export const layer = Layer.unwrap(Effect.map(migrated, Pglite.layerPrepared))

/** The same without tables. */
export const layerEmpty = Pglite.layerMemory

/** Creates a data directory whose database has all migrations, for a service that would create it in a second. */
export const install = (dataDir: string) => Effect.flatMap(migrated, (prepared) => Pglite.install(prepared, dataDir))
