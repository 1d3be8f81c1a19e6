// Where sessions and runs are kept: PostgreSQL when a url is given, else the embedded database. Nothing else differs.
import { Migrations, SqlRunStore, SqlSessionStore } from "@svc/storage"
import { Effect, Layer } from "effect"
import type { Config } from "./Config.ts"

/** Only the database that is used is loaded. */
const database = (config: Config) =>
  Layer.unwrap(Effect.gen(function*() {
    const { databaseUrl } = config
    if (databaseUrl !== undefined) {
      const Postgres = yield* Effect.promise(() => import("@svc/storage/Postgres"))
      return Postgres.layer({ url: databaseUrl, maxConnections: config.databaseConnections })
    }
    const Pglite = yield* Effect.promise(() => import("@svc/storage/Pglite"))
    return Pglite.layer({ dataDir: config.dataDir })
  }))

export const layer = (config: Config) =>
  Layer.mergeAll(SqlSessionStore.layer, SqlRunStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(database(config))
  )
