// The session queue. A run that `takes_turns` is PENDING until those before it have ended, and one of them
// at a time is RUNNING, whatever nodes they are on: that is what the unique index holds.
//
// `is_unfinished` is a column of its own so that only those statements use the indexes that ask for it by name: where
// no statistics are collected, one that looks for a run by its id would read the whole of such an index otherwise.
//
// Of a run in a copied session `forked_from_session_id` is the session that it was first in. Such a run goes by the ids
// in its columns, whatever its output and its events say.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs
    add column takes_turns boolean not null default false,
    add column forked_from_session_id text collate "C",
    add column is_unfinished boolean generated always as (status in ('PENDING', 'RUNNING')) stored`
  yield* sql`create index svc_runs_unfinished on svc_runs (session_id, seq) where is_unfinished`
  yield* sql`
    create unique index svc_runs_turn on svc_runs (session_id)
    where is_unfinished and takes_turns and status = 'RUNNING'`
  yield* sql`drop index svc_runs_running`
  yield* sql`create index svc_runs_by_node on svc_runs (node) where is_unfinished`
})
