// The migrations of a database, by their numbers. The number of the last one is the version of the database.
import { Schema } from "effect"
import { DatabaseId } from "./Ids.ts"
import { DateTime } from "./Time.ts"

export const Migration = Schema.Struct({ version: Schema.Int, name: Schema.String })
  .annotate({ identifier: "Migration" })
export type Migration = typeof Migration.Type

export const AppliedMigration = Schema.Struct({ ...Migration.fields, applied_at: DateTime })
  .annotate({ identifier: "AppliedMigration" })
export type AppliedMigration = typeof AppliedMigration.Type

/** Which migrations a database has, and which ones it lacks. */
export const Status = Schema.Struct({
  db_id: DatabaseId,
  /** Null: the database has no tables yet. */
  version: Schema.NullOr(Schema.Int),
  /** The version that this version of the service needs. */
  latest_version: Schema.NullOr(Schema.Int),
  applied: Schema.Array(AppliedMigration),
  pending: Schema.Array(Migration)
}).annotate({ identifier: "MigrationStatus" })
export type Status = typeof Status.Type

/** The outcome for one database. A dry run names the migrations that it would execute. */
export const Migrated = Schema.Struct({
  message: Schema.String,
  migrations: Schema.optionalKey(Schema.Array(Migration))
}).annotate({ identifier: "MigrationResponse" })
export type Migrated = typeof Migrated.Type

/** A dry run names the migrations of each database. */
export const AllMigrated = Schema.Struct({
  message: Schema.String,
  migrations: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Migration)))
}).annotate({ identifier: "MigrationsResponse" })
export type AllMigrated = typeof AllMigrated.Type

/** Some databases could not be migrated: the reasons, by the ids of the databases. */
export const PartlyMigrated = Schema.Struct({
  message: Schema.String,
  failed: Schema.Record(Schema.String, Schema.String)
}).annotate({ identifier: "PartlyMigratedResponse" })
export type PartlyMigrated = typeof PartlyMigrated.Type
