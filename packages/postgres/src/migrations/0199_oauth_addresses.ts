// Where a client and a request of the authorization server came from, as a hash, so that one address cannot take all
// places.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_oauth_clients add column address_hash text collate "C" not null default ''`
  yield* sql`alter table svc_oauth_requests add column address_hash text collate "C" not null default ''`
})
