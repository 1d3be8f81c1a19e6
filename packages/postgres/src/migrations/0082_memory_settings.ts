// Whether agents may remember a user. A user without a row has not said so: they may.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_memory_settings (
      user_id text collate "C" primary key,
      is_enabled boolean not null,
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
})
