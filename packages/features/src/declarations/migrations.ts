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

/** Since when a node declares, and how often it has looked at the others. */
const looks = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table svc_declaring_nodes
      add column started_at timestamptz not null default clock_timestamp(),
      add column looks integer not null default 1`
})

export const declarations = migrationSet("declarations", [["tables", tables], ["looks", looks]])
