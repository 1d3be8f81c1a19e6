// The databases of services of tests.
import { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Stores from "@svc-runtime/engine/database/Stores"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { Migrations } from "@svc-runtime/postgres"
import { Context, Effect, Layer } from "effect"
import * as TestDatabase from "../TestDatabase.ts"
import * as Databases from "./Databases.ts"
import { isSql } from "./storesOfTests.ts"

interface Options {
  /** Changes the stores before they are used. */
  readonly database?: ((database: Database) => Database) | undefined
}

/** Stores of the service that are elsewhere. */
interface Elsewhere {
  readonly accounts?: Layer.Layer<ServiceAccountStore> | undefined
  readonly oauth?: Layer.Layer<OAuthStore> | undefined
  readonly approvals?: Layer.Layer<ApprovalStore> | undefined
}

/** A database in memory has no migrations. */
const schemaInMemory: Schemas.DatabaseSchema = {
  state: Effect.succeed({ applied: [], pending: [] }),
  plan: () => Effect.succeed([]),
  migrate: () => Effect.succeed([])
}

const sql = Effect.gen(function*() {
  const client = yield* Databases.lend
  const schema = yield* Migrations.schema.pipe(
    Effect.provideContext(client),
    Effect.provideService(Migrations.MigrationSets, SqlStores.setsOf(SqlStores.features))
  )
  return { stores: yield* TestDatabase.storesOf(client), schema }
})

const memory = Effect.map(Layer.build(TestDatabase.layer), (stores) => ({ stores, schema: schemaInMemory }))

const opening = isSql ? sql : memory

export const openDatabase = (id: string, { database = (same) => same }: Options) =>
  Layer.effectContext(Effect.gen(function*() {
    const { schema, stores } = yield* opening
    const opened = database(makeDatabase(id, stores))
    yield* (yield* Schemas.Schemas).add(opened.id, schema)
    return Context.merge(stores, Stores.toContext(opened, stores))
  }))

/** One service of a layer that may provide others too. */
const only = <Id, Service>(service: Context.Service<Id, Service>, layer: Layer.Layer<Id> | undefined) =>
  layer === undefined ? Layer.empty : Layer.effect(service, service).pipe(Layer.provide(layer))

/** The service's own database. */
export const openOwn = (
  { databaseId, schemas }: { readonly databaseId: string; readonly schemas: Schemas.Registry },
  options: Options & Elsewhere
) =>
  Layer.build(
    openDatabase(databaseId, options).pipe(
      Layer.provide(Layer.succeed(Schemas.Schemas, schemas)),
      Layer.merge(only(ApprovalStore, options.approvals)),
      Layer.merge(only(ServiceAccountStore, options.accounts)),
      Layer.merge(only(OAuthStore, options.oauth)),
      Layer.orDie
    )
  )
