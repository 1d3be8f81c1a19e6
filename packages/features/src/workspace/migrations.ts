// The files of sessions. A file is stored in one row, which is small enough.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_workspaces (
      session_id text collate "C" primary key references svc_sessions (session_id) on delete cascade,
      revision bigint not null check (revision > 0),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`
    create table svc_workspace_files (
      session_id text collate "C" not null references svc_workspaces (session_id) on delete cascade,
      path text collate "C" not null,
      hash text collate "C" not null,
      size int not null check (size >= 0),
      executable boolean not null,
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      content bytea not null,
      primary key (session_id, path)
    )`
  yield* sql`alter table svc_workspace_files alter column content set storage external`
})

export const workspace = migrationSet("workspace", [["tables", tables]])
