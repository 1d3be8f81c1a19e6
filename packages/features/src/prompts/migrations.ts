// The versions of prompts. `latest` marks the current one of each.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_prompts (
      name text collate "C" not null,
      version int not null check (version > 0),
      latest boolean not null,
      prompt_id text collate "C" not null,
      text text not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      created_by text collate "C",
      primary key (name, version)
    )`
  yield* sql`create index svc_prompts_latest on svc_prompts (name) where latest`
})

export const prompts = migrationSet("prompts", [["tables", tables]])
