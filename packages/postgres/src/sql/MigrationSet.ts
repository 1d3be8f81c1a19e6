// A set of migrations: how the tables of one owner are made, such as the engine or a feature. Each set counts its
// versions from 1, so that a feature that is added to a service later begins at its first version.
import type { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export type Execute = Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>

/** The first migration has version 1, and each has the next one. A released migration never changes. */
export interface MigrationSet {
  readonly name: string
  readonly migrations: ReadonlyArray<readonly [name: string, execute: Execute]>
}

export const migrationSet = (name: string, migrations: MigrationSet["migrations"]): MigrationSet => ({
  name,
  migrations
})
