// Images and clips that models make, in parts of bounded size. Each is stored once for a session.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrationSet } from "../sql/MigrationSet.ts"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_media (
      session_id text collate "C" not null references svc_sessions on delete cascade,
      hash text collate "C" not null,
      part integer not null check (part >= 0),
      mime_type text not null,
      size integer not null check (size >= 0),
      body bytea not null,
      primary key (session_id, hash, part)
    )`
  // They are compressed as a rule.
  yield* sql`alter table svc_media alter column body set storage external`
  yield* sql`create index svc_media_by_hash on svc_media (hash, session_id) where part = 0`
})

export const media = migrationSet("media", [["tables", tables]])
