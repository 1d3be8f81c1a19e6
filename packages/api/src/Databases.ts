// The migrations of the databases. A service that starts with MIGRATE=false waits for them.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Migration from "@svc-runtime/domain/Migration"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import { Internal, NotFound } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { FlagText } from "./query/FlagText.ts"
import { withDefault } from "./query/QueryText.ts"
import { requires } from "./RequiredScope.ts"

const database = { db_id: Ids.DatabaseId }

const query = {
  /** The number of the last migration to execute. Default: all. */
  target_version: Schema.optionalKey(Schema.String),
  dry_run: withDefault(FlagText, "false")
}

export class Databases extends HttpApiGroup.make("databases")
  .add(
    HttpApiEndpoint.post("migrateAll", "/databases/all/migrate", {
      query,
      // the first schema that a response matches is used
      success: [Migration.PartlyMigrated.pipe(HttpApiSchema.status(207)), Migration.AllMigrated]
    })
      .annotateMerge(requires("config:write"))
      .annotate(OpenApi.Identifier, "migrate_all_databases"),
    HttpApiEndpoint.post("migrate", "/databases/:db_id/migrate", {
      params: database,
      query,
      success: Migration.Migrated,
      error: [NotFound, Internal]
    })
      .annotateMerge(requires("config:write"))
      .annotate(OpenApi.Identifier, "migrate_database"),
    HttpApiEndpoint.get("migrations", "/databases/:db_id/migrations", {
      params: database,
      success: Migration.Status,
      error: [NotFound, Internal]
    })
      .annotateMerge(requires("config:read"))
      .annotate(OpenApi.Identifier, "get_migrations")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Databases", description: "The migrations of the databases" }))
{}

export const texts: Texts = {
  operations: {
    migrate_all_databases: {
      method: "migrateAll",
      summary: "Migrate all databases",
      description: "Applies the pending migrations to each database. The service does this at its start as well."
    },
    migrate_database: {
      summary: "Migrate a database",
      description: "Applies the pending migrations to one database."
    },
    get_migrations: {
      method: "migrations",
      summary: "List the migrations of a database",
      description: "Returns the applied and the pending migrations."
    }
  }
}
