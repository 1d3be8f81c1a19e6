// The stores of a service, for tests without a service. They are on an embedded database when `SVC_TEST_STORES` is
// `sql`, else in memory.
import type { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import { makeDatabase } from "@svc-runtime/engine/database/Database"
import type { StoreNames, StoreServices } from "@svc-runtime/engine/database/Stores"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { SqlOAuthStore, SqlServiceAccountStore } from "@svc-runtime/postgres"
import type { SqlServices } from "@svc-runtime/postgres/ShortStatements"
import { Clock, type Context, Effect, Layer } from "effect"
import * as Databases from "./internal/Databases.ts"
import { stepped } from "./internal/SteppedClock.ts"
import { isSql } from "./internal/storesOfTests.ts"
import * as InMemory from "./stores/InMemory.ts"

type AllStores = StoreNames | StoreServices | ServiceAccountStore | OAuthStore

const allStores = Layer.mergeAll(SqlStores.layerMigrated, SqlServiceAccountStore.layer, SqlOAuthStore.layer).pipe(
  Layer.provide(StoreLimits.layerWith())
)

/** The stores of a database that has all migrations. */
export const storesOf = (client: Context.Context<Exclude<SqlServices, StoreLimits.StoreLimits>>) =>
  Layer.build(Layer.orDie(Layer.provide(Layer.fresh(allStores), Layer.succeedContext(client))))

const layerSql: Layer.Layer<AllStores> = Layer.effectContext(
  Effect.gen(function*() {
    const clock = stepped(yield* Clock.Clock)
    return yield* Effect.provideService(storesOf(yield* Databases.lend(clock)), Clock.Clock, clock)
  })
)

const layerMemory: Layer.Layer<AllStores> = Layer.mergeAll(
  InMemory.layer,
  Layer.fresh(InMemory.ServiceAccountStore),
  Layer.fresh(InMemory.OAuthStore)
)

/** An empty database for each build of the layer. Its time is that of the test. */
export const layer: Layer.Layer<AllStores> = Layer.fresh(isSql ? layerSql : layerMemory)

/** An empty embedded database with all migrations, for each build of the layer. Its time is that of this machine. */
export const layerSqlClient = Layer.merge(
  Layer.fresh(Layer.effectContext(Databases.lendInRealTime)),
  StoreLimits.layerWith()
)

/** The files of such a database. */
export { preparedDatabase } from "./internal/preparedDatabase.ts"

/** Whether a start that reaches the database late is refused by its statement. In memory it is stored. */
export const refusesLateStarts = isSql

/** The name of a session as the stores keep it: PostgreSQL stores no NUL in a text. */
export const storedName = (name: string): string => isSql ? name.replaceAll("\0", "\ufffd") : name

/** An empty database until the scope is closed, for services that start one after the other on it. */
export const make = (id = "main-db") => Effect.map(Layer.build(layer), (stores) => makeDatabase(id, stores))
