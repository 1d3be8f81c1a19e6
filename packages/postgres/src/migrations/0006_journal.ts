// What is needed to resume a run after its service has stopped: its command, the steps that it has
// finished, and its lease. `attempt` rises each time that the lease is acquired, and writes under an old one are
// refused. `remembered` is how many of the earlier runs it is shown. `node` is empty when a run was handed over and
// is not acquired yet.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs
    add column attempt integer not null default 1,
    add column command json,
    add column remembered integer not null default 0`
  yield* sql`
    create table svc_run_journal (
      run_seq bigint references svc_runs (seq) on delete cascade,
      position integer,
      body json not null,
      primary key (run_seq, position)
    )`
  yield* sql`create table svc_nodes (node text collate "C" primary key, seen_at timestamptz not null)`
})
