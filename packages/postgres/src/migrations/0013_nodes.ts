// What a node says of itself: the operating system's process that it is, the components that it can execute, and the
// newest stored format that it reads.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_nodes
    add column process text,
    add column components text[] not null default '{}',
    add column format integer not null default 1`
})
