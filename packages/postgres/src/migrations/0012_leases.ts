// Leases that fail. `takeovers` counts the holders that died since the last journal entry (`taken_entries` is how many
// entries there were then), `postponed` how often a holder gave the run back. Until `not_before` no node acquires it,
// and since `free_since` no node could execute it. `format` is what its next holder has to be able to read.
//
// A run that cannot be read is set aside: it ends as ERROR, and what was stored is kept in `set_aside_output`.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs
    add column takeovers integer not null default 0,
    add column taken_entries integer not null default 0,
    add column postponed integer not null default 0,
    add column not_before timestamptz,
    add column free_since timestamptz,
    add column format integer not null default 1,
    add column set_aside_reason text,
    add column set_aside_output json`
  // the holders of unfinished runs are found one by one in it, and the runs of each in their order
  yield* sql`create index svc_runs_by_holder on svc_runs (node, seq) where is_unfinished`
  yield* sql`drop index svc_runs_by_node`
})
