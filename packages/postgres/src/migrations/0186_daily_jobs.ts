// The jobs of a kind that the runs of a component have enqueued on one day, for the limits of a day: a later day
// replaces the one before it. A row is small, and stays when its component is gone.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_daily_jobs (
      kind text collate "C" not null,
      component_kind text collate "C" not null,
      component_id text collate "C" not null,
      day integer not null,
      count bigint not null,
      primary key (kind, component_kind, component_id)
    )`
})
