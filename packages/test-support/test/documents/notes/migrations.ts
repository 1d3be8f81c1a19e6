// The table of notes. A check keeps out numbers that do not decode.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_notes (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      user_id text collate "C",
      text text not null,
      created_at bigint not null check (created_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_notes_by_user on svc_notes (user_id, seq)`
})

export const notes = migrationSet("notes", [["tables", tables]])
