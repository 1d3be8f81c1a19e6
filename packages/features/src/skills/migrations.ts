// The versions of skills. `latest` marks the current one of each.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_skills (
      name text collate "C" not null,
      version int not null check (version > 0),
      latest boolean not null,
      description text not null,
      license text,
      compatibility text,
      allowed_tools json not null,
      metadata json not null,
      instructions text not null,
      files json not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      created_by text collate "C",
      primary key (name, version)
    )`
  yield* sql`create index svc_skills_latest on svc_skills (name) where latest`
})

export const skills = migrationSet("skills", [["tables", tables]])
