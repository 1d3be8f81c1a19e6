// Declarations in code: what is stored of them, which sets of them there were, and which nodes live and declare a set.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_declarations (
      kind text collate "C" not null,
      name text collate "C" not null,
      id text collate "C" not null,
      hash text collate "C",
      primary key (kind, name)
    )`
  // A set is as new as its number.
  yield* sql`
    create table svc_declaration_sets (
      hash text collate "C" primary key,
      seq bigint generated always as identity unique,
      is_applied boolean not null default false
    )`
  yield* sql`
    create table svc_declaring_nodes (
      node text collate "C" primary key,
      hash text collate "C" not null,
      seen_at timestamptz not null
    )`
})

export const declarations = migrationSet("declarations", [["tables", tables]])
