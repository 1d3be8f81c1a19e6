// Service accounts are looked up by name, revoked ones as well: what they made belongs to the name.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index svc_service_accounts_by_former_name on svc_service_accounts (name)`
})
