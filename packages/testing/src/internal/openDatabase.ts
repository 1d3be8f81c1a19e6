// The databases of services of tests.
import { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Stores from "@svc-runtime/engine/database/Stores"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as JoinFailed from "@svc-runtime/engine/run/engine/JoinFailed"
import * as Features from "@svc-runtime/features/features"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { Migrations } from "@svc-runtime/postgres"
import type { Application } from "@svc-runtime/server"
import { Clock, Context, Effect, Layer } from "effect"
import * as TestDatabase from "../TestDatabase.ts"
import * as Databases from "./Databases.ts"
import { stepped } from "./SteppedClock.ts"
import { isSql } from "./storesOfTests.ts"

interface Options {
  /** The database has the stores of these features only. All features, when left out. */
  readonly features?: Parameters<typeof Features.storeNames>[0] | undefined
  /** Changes the stores before they are used. */
  readonly database?: ((database: Database) => Database) | undefined
}

/** Stores of the service that are elsewhere. */
interface Elsewhere {
  /** All of its own database, without service accounts and the authorization server. */
  readonly stores?: ReturnType<Application.Parts["openDatabase"]> | undefined
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
  const client = yield* Databases.lend(stepped(yield* Clock.Clock))
  const schema = yield* Migrations.schema.pipe(
    Effect.provideContext(client),
    Effect.provideService(Migrations.MigrationSets, SqlStores.setsOf(SqlStores.features))
  )
  return { stores: yield* TestDatabase.storesOf(client), schema }
})

const memory = Effect.map(Layer.build(TestDatabase.layer), (stores) => ({ stores, schema: schemaInMemory }))

const opening = isSql ? sql : memory

const accountsOf = Context.pick(ServiceAccountStore, OAuthStore)

export const openDatabase = (id: string, { database = (same) => same, features = Features.features }: Options) =>
  Layer.effectContext(Effect.gen(function*() {
    const { schema, stores } = yield* opening
    const named = Context.add(stores, Stores.StoreNames, Features.storeNames(features))
    const opened = database(makeDatabase(id, named))
    yield* (yield* Schemas.Schemas).add(opened.id, schema)
    return Context.merge(accountsOf(stores), Stores.toContext(opened, named))
  })).pipe(Layer.merge(Notifications.layerNone))

/** One service of a layer that may provide others too. */
const only = <Id, Service>(service: Context.Service<Id, Service>, layer: Layer.Layer<Id> | undefined) =>
  layer === undefined ? Layer.empty : Layer.effect(service, service).pipe(Layer.provide(layer))

/** The stores beside those of a database that is given. */
const layerAccounts = Layer.effectContext(Effect.map(Layer.build(TestDatabase.layer), accountsOf))

/** The service's own database. */
export const openOwn = (
  { databaseId, features, schemas }: Pick<Application.Parts, "databaseId" | "features" | "schemas">,
  { accounts, approvals, stores, ...options }: Options & Elsewhere
) =>
  Layer.build(
    (stores === undefined ? openDatabase(databaseId, { ...options, features }) : Layer.merge(layerAccounts, stores))
      .pipe(
        Layer.provide([Layer.succeed(Schemas.Schemas, schemas), JoinFailed.layerNone]),
        Layer.merge(only(ApprovalStore, approvals)),
        Layer.merge(only(ServiceAccountStore, accounts)),
        Layer.merge(only(OAuthStore, options.oauth)),
        Layer.orDie
      )
  )
