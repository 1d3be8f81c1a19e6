// The databases of services of tests.
import { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Stores from "@svc-runtime/engine/database/Stores"
import { Migrations } from "@svc-runtime/postgres"
import { Context, Effect, Layer } from "effect"
import * as TestDatabase from "../TestDatabase.ts"
import * as Databases from "./Databases.ts"

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

export const openDatabase = (id: string, { database = (same) => same }: Options) =>
  Layer.effectContext(Effect.gen(function*() {
    const client = yield* Databases.lend
    const stores = yield* TestDatabase.storesOf(client)
    const opened = database(makeDatabase(id, stores))
    yield* (yield* Schemas.Schemas).add(opened.id, yield* Effect.provideContext(Migrations.schema, client))
    const context: Context.Context<Stores.StoreServices | ServiceAccountStore | OAuthStore> = Context.merge(
      stores,
      Stores.toContext(opened)
    )
    return context
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
