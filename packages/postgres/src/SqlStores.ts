// All stores of one database, on its migrated schema.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import { Layer } from "effect"
import type { Migrator, SqlClient } from "effect/sql"
import { stores } from "./DatabaseContents.ts"
import * as Migrations from "./Migrations.ts"

export const layer: Layer.Layer<
  StoreServices,
  Migrator.MigrationError | Migrations.OlderNodesAlive | Migrations.SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = stores.pipe(Layer.provide(Migrations.layer))

/** The same on a database that has the migrations of this version already. */
export const layerMigrated = stores
