// Events that are stored with a journal entry say how many entries the run has then. A journal whose last entries were
// lost is noticed by that. The column is null for other events, and for those of nodes of the version before.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_run_events add column journal_entries integer`
})
