// The ids of the other runs of a trace: of root runs after the one that it shows, and of members; and the sessions of such
// root runs. They find the trace too. Null: there are none, as for most traces and for those of older versions.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const column of ["other_runs", "other_sessions"]) {
    yield* sql`alter table svc_traces add column ${sql(column)} text[] collate "C"`
    // without a list of changes, which every search would read
    yield* sql`
      create index ${sql(`svc_traces_by_${column}`)} on svc_traces using gin (${sql(column)}) with (fastupdate = off)
      where ${sql(column)} is not null`
  }
})
