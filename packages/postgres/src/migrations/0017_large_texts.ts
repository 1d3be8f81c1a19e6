// Long texts of a session's runs, such as uploaded files and results of tools, in parts of bounded size. Each is stored
// once, whatever repeats it. No foreign key: the text of a new run is there before its session is.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_large_texts (
      session_id text collate "C" not null,
      hash text collate "C" not null,
      part integer not null,
      body bytea not null,
      stored_at timestamptz not null default now(),
      primary key (session_id, hash, part)
    )`
  // Uploads are compressed as a rule: to compress them again would take time for nothing.
  yield* sql`alter table svc_large_texts alter column body set storage external`
  yield* sql`
    create function svc_forget_large_texts() returns trigger language plpgsql as $$
    begin
      delete from svc_large_texts where session_id = old.session_id;
      return old;
    end $$`
  yield* sql`
    create trigger svc_forget_large_texts after delete on svc_sessions
    for each row execute function svc_forget_large_texts()`
})
