// All stores of one database, on its migrated schema.
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type { StoreServices } from "@svc/runtime/database/Stores"
import { Layer } from "effect"
import type { Migrator, SqlClient } from "effect/sql"
import * as Migrations from "./Migrations.ts"
import * as SqlApprovalStore from "./SqlApprovalStore.ts"
import * as SqlIdempotencyStore from "./SqlIdempotencyStore.ts"
import * as SqlJobStore from "./SqlJobStore.ts"
import * as SqlRetentionStore from "./SqlRetentionStore.ts"
import * as SqlRunStore from "./SqlRunStore.ts"
import * as SqlSessionStore from "./SqlSessionStore.ts"

export const layer: Layer.Layer<
  StoreServices,
  Migrator.MigrationError | Migrations.SchemaTooNew | StorageUnavailable,
  SqlClient.SqlClient
> = Layer.mergeAll(
  SqlSessionStore.layer,
  SqlRunStore.layer,
  SqlApprovalStore.layer,
  SqlIdempotencyStore.layer,
  SqlRetentionStore.layer,
  SqlJobStore.layer
).pipe(Layer.provide(Migrations.layer))
