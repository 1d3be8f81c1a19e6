// Results of experiments have the beginning of their item's input. Those that are stored have none.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table svc_experiment_items add column input text`
)
