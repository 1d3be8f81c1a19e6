// A migration as later versions have them: nodes of this version can use the database after it.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column newer text not null default ''`
  yield* sql`create index svc_runs_newer on svc_runs (newer)`
  yield* sql`create table svc_newer (id integer primary key)`
})
