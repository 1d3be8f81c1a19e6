// `summarized_run` is the last run that the summary of a session covers. The index finds the newest sessions of a user
// with a component, however many others there are.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_sessions add column summarized_run bigint not null default 0`
  yield* sql`
    create index svc_sessions_past
    on svc_sessions (user_id, (coalesce(agent_id, team_id, workflow_id)), created_at desc, seq desc)
    where user_id is not null`
})
