// Roles: named sets of scopes.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_roles (
      name text collate "C" primary key,
      description text not null,
      scopes json not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799),
      created_by text collate "C"
    )`
})

export const roles = migrationSet("roles", [["tables", tables]])
