// Connects to databases: PostgreSQL on a server, or the embedded one. Nothing else differs between them.
import { ServiceAccountStore } from "@svc-runtime/auth"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import type * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { Notifications } from "@svc-runtime/engine/node/Notifications"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { Migrations, SqlOAuthStore, SqlServiceAccountStore } from "@svc-runtime/postgres"
import type * as Pglite from "@svc-runtime/postgres/Pglite"
import type * as Postgres from "@svc-runtime/postgres/Postgres"
import { Effect, Layer, type Scope } from "effect"
import { SqlError } from "effect/sql"
import type { Config } from "./Config.ts"

type Unusable = Layer.Error<ReturnType<typeof Pglite.layer>> | Layer.Error<ReturnType<typeof Postgres.layer>>
type Database = Layer.Layer<Layer.Success<ReturnType<typeof Pglite.layer>>, Unusable>

type Limits = Pick<Config, "storeLimits">

// Only the databases that are used are loaded.
const embedded = (dataDir: string, { minIndexedChunks }: Limits["storeLimits"]): Database =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@svc-runtime/postgres/Pglite")),
      ({ layer }) => layer({ dataDir, hasVectors: minIndexedChunks !== undefined })
    )
  )

const server = (options: Postgres.Options): Database =>
  Layer.unwrap(
    Effect.map(Effect.promise(() => import("@svc-runtime/postgres/Postgres")), ({ layer }) => layer(options))
  )

/** The channel of the database, for consumers of the stores. */
const notifications = Layer.effect(Notifications, Notifications)

type OwnSettings = Pick<Config, "databaseConnections" | "databasePooler" | "databaseUrl" | "dataDir">

const own = (
  { dataDir, databaseConnections, databasePooler, databaseUrl, storeLimits }: Limits & OwnSettings
): Database =>
  databaseUrl === undefined
    ? embedded(dataDir, storeLimits)
    : server({ url: databaseUrl, maxConnections: databaseConnections, isPooled: databasePooler })

/** Called with the accounts of a database that waits for its migrations. */
export type WhilePending = (
  pending: Schemas.Pending
) => Effect.Effect<unknown, never, Scope.Scope | ServiceAccountStore>

const withAccounts = (whilePending: WhilePending) =>
  Layer.effect(
    Schemas.WhilePending,
    Effect.map(ServiceAccountStore, (accounts) => (pending: Schemas.Pending) =>
      Effect.provideService(whilePending(pending), ServiceAccountStore, accounts))
  )

type Features = Parameters<typeof SqlStores.layerOf>[0]

/**
 * The service's own database. It alone has service accounts, and what the authorization server stores. Without
 * `whilePending` it migrates by itself.
 */
export const layer = (config: Limits & OwnSettings, features: Features, whilePending?: WhilePending) =>
  Layer.merge(SqlStores.layerServed(features), notifications).pipe(
    Layer.provide(whilePending === undefined ? Schemas.migrating : withAccounts(whilePending)),
    Layer.provideMerge(Layer.merge(SqlServiceAccountStore.layer, SqlOAuthStore.layer)),
    Layer.provide(own(config)),
    Layer.provide(Layer.succeed(StoreLimits, config.storeLimits))
  )

type Connected = Pick<Config, "databaseConnections" | "storeLimits">

const ofSource = (config: Connected, { source }: DatabaseHandle.DatabaseHandle): Database =>
  source._tag === "Embedded"
    ? embedded(source.dataDir, config.storeLimits)
    : server({ ...source, maxConnections: source.maxConnections ?? config.databaseConnections })

/** The schema of a database that is not open. It is opened for each use. */
export const schemaOf = (
  config: Connected,
  features: Features,
  handle: DatabaseHandle.DatabaseHandle
): Schemas.DatabaseSchema => {
  const open = <A, E>(call: (schema: Schemas.DatabaseSchema) => Effect.Effect<A, E>) =>
    Layer.build(Layer.fresh(ofSource(config, handle))).pipe(
      Effect.flatMap((database) => Effect.provideContext(Effect.flatMap(Migrations.schema, call), database)),
      Effect.provideService(Migrations.MigrationSets, SqlStores.setsOf(features)),
      Effect.scoped
    )
  const toFailed = (error: Unusable | Schemas.MigrationFailed) =>
    error._tag === "MigrationFailed" ? error : new Schemas.MigrationFailed({ message: error.message, cause: error })
  const use = <A>(call: (schema: Schemas.DatabaseSchema) => Effect.Effect<A, Schemas.MigrationFailed>) =>
    Effect.mapError(open(call), toFailed)
  return {
    state: Effect.mapError(open(({ state }) => state), (error) => {
      if (error._tag === "StorageUnavailable") return error
      return SqlError.isSqlError(error) ? new StorageUnavailable({ cause: error }) : toFailed(error)
    }),
    plan: (target) => use(({ plan }) => plan(target)),
    migrate: (target) => use(({ migrate }) => migrate(target))
  }
}

/** A database that a component or a factory declares. */
export const ofHandle = (
  config: Connected & { readonly migrate?: boolean },
  features: Features,
  handle: DatabaseHandle.DatabaseHandle
) =>
  Layer.merge(SqlStores.layerServed(features), notifications).pipe(
    Layer.provide(config.migrate === false ? Schemas.refusing : Schemas.migrating),
    Layer.provide(ofSource(config, handle)),
    Layer.provide(Layer.succeed(StoreLimits, config.storeLimits))
  )
