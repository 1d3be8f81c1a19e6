// The stores of a service on an embedded database in memory, for tests without a service.
import type { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import { makeDatabase } from "@svc-runtime/engine/database/Database"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import { SqlOAuthStore, SqlServiceAccountStore, SqlStores } from "@svc-runtime/postgres"
import { Clock, type Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as Databases from "./internal/Databases.ts"
import { stepped } from "./internal/SteppedClock.ts"

type AllStores = StoreServices | ServiceAccountStore | OAuthStore

const allStores = Layer.mergeAll(SqlStores.layerMigrated, SqlServiceAccountStore.layer, SqlOAuthStore.layer)

/** The stores of a database that has all migrations. */
export const storesOf = (client: Context.Context<SqlClient.SqlClient>) =>
  Layer.build(Layer.orDie(Layer.provide(Layer.fresh(allStores), Layer.succeedContext(client))))

/** An empty database for each build of the layer. Its time is that of the test. */
export const layer: Layer.Layer<AllStores> = Layer.fresh(
  Layer.effectContext(Effect.updateService(Effect.flatMap(Databases.lend, storesOf), Clock.Clock, stepped))
)

/** An empty database until the scope is closed, for services that start one after the other on it. */
export const make = (id = "main-db") => Effect.map(Layer.build(layer), (stores) => makeDatabase(id, stores))
