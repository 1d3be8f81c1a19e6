// Keys that requests were sent with, for as long as they mean something.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_idempotency (
      key text collate "C" primary key,
      claim_id text collate "C" not null,
      fingerprint text collate "C" not null,
      subject json not null,
      created_at bigint not null,
      expires_at bigint not null
    )`
  yield* sql`create index svc_idempotency_by_end on svc_idempotency (expires_at)`
})
