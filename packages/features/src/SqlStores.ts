// All stores of one database, on its migrated schema: those of the engine, and those of features.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { StoreNames, type StoreServices } from "@svc-runtime/engine/database/Stores"
import { Migrations } from "@svc-runtime/postgres"
import { migrationSets, stores } from "@svc-runtime/postgres/DatabaseContents"
import type { SqlServices } from "@svc-runtime/postgres/ShortStatements"
import { Expiry, type ExpirySteps } from "@svc-runtime/postgres/sql/Expiry"
import { Effect, Layer } from "effect"
import type { Migrator } from "effect/sql"
import type { Configured, Feature } from "./Feature.ts"
import * as FeatureList from "./features.ts"

export { features } from "./features.ts"

type Served = ReadonlyArray<Configured | Feature>

/** The sets of migrations of a service with these features, in their order. */
export const setsOf = (features: Served) => [
  ...migrationSets,
  ...features.flatMap(({ migrations }) => migrations === undefined ? [] : [migrations])
]

/** The sets of a service with all features. */
export const sets = setsOf(FeatureList.features)

/** Brings the schema of a database up to date, with the tables of all features. */
export const migrate = Effect.provideService(Migrations.run, Migrations.MigrationSets, sets)

/** The steps of the retention of these features. */
const stepsOf = (features: Served): Effect.Effect<ExpirySteps> =>
  Effect.map(Effect.all(features.map(({ expiry }) => expiry)), (steps) => Object.assign({}, ...steps))
const expiryOf = (features: Served) => Layer.effect(Expiry, stepsOf(features))

export const expirySteps = stepsOf(FeatureList.features)
export const expiry = expiryOf(FeatureList.features)

/** The stores of a database that has the schema. */
const unmigrated = (features: Served) =>
  Layer.mergeAll(
    Layer.succeed(StoreNames, FeatureList.storeNames(features)),
    stores,
    ...features.flatMap(({ stores }) => stores === undefined ? [] : [stores.layer])
  ).pipe(
    Layer.provide(expiryOf(features))
  )

/** The stores of a service with all features, on a database that `migrate` has brought up to date. */
export const layerMigrated = unmigrated(FeatureList.features) as Layer.Layer<
  StoreNames | StoreServices,
  StorageUnavailable,
  SqlServices
>

export type Unusable = Migrator.MigrationError | Migrations.SchemaTooNew | Migrations.SchemaTooOld | StorageUnavailable

const migrated = <R>(
  features: Served,
  migrations: Layer.Layer<never, Migrations.Failure, Migrations.MigrationSets | R>
): Layer.Layer<StoreNames | StoreServices, Unusable, R | SqlServices> =>
  unmigrated(features).pipe(
    Layer.provide(migrations),
    Layer.provide(Layer.succeed(Migrations.MigrationSets, setsOf(features)))
  ) as Layer.Layer<StoreNames | StoreServices, Unusable, R | SqlServices>

/** The stores of a database that a service with these features serves. */
export const layerServed = (features: Served) => migrated(features, Migrations.layerServed)

/** The stores of the database of no service. */
export const layerOf = (features: Served) => migrated(features, Layer.effectDiscard(Migrations.run))

/** The same with all features. */
export const layer = layerOf(FeatureList.features)
