// The users of unfinished evaluations are counted. Their requests are not searched: a text in one can be unreadable.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table svc_eval_runs add column user_id text collate "C"`
)
