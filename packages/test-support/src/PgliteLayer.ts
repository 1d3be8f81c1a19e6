// An embedded database in memory for each time the layer is built. Each is a copy of one that has all migrations, which
// is prepared once: by the global setup of vitest, else in each process.
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Pglite from "@svc-runtime/postgres/Pglite"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { deserialize } from "node:v8"
import { inject } from "vitest"
import * as LazyServer from "./internal/LazyServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly svcPglitePort?: number
  }
}

const shared = (port: number) =>
  Effect.map(LazyServer.ask(port), (file): Pglite.Prepared => deserialize(readFileSync(file)))

const prepare = Effect.suspend(() => {
  const port = inject("svcPglitePort")
  return port === undefined ? Effect.orDie(Pglite.prepare(SqlStores.migrate)) : Effect.orDie(shared(port))
})

const migrated = Effect.runSync(Effect.cached(prepare))

/** Provides `SqlClient` and `PgClient`. */
export const layer = Layer.unwrap(Effect.map(migrated, Pglite.layerPrepared))

/** The same without tables. */
export const layerEmpty = Pglite.layerMemory

/** Creates a data directory whose database has all migrations, for a service that would create it in a second. */
export const install = (dataDir: string) => Effect.flatMap(migrated, (prepared) => Pglite.install(prepared, dataDir))
