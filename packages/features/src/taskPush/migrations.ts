// Where the changes of a run are sent to. Tokens and credentials go into calls, so they are
// stored sealed, or as they are without a key.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_task_pushes (
      run_id text collate "C" not null references svc_runs on delete cascade,
      id text collate "C" not null,
      seq bigint generated always as identity unique,
      session_id text collate "C" not null,
      version text collate "C" not null check (version in ('0.3', '1.0')),
      url text not null,
      token text,
      scheme text,
      credentials text,
      delivered text,
      created_at bigint not null check (created_at between 0 and 253402300799),
      primary key (run_id, id)
    )`
})

export const taskPushes = migrationSet("taskPushes", [["tables", tables]])
