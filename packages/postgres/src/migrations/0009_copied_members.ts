// The runs of members in copied sessions. Of a run that has others inside of it, or is inside of one, `copied_runs` has
// the ids that they all go by here, each under the one that what is shown of them says.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column copied_runs json`
})
