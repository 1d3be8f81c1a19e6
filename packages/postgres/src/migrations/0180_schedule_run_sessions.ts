// A session that is removed takes its texts out of the runs of schedules, whose history stays.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create index svc_schedule_runs_by_session on svc_schedule_runs (session_id) where session_id is not null`
  yield* sql`
    create function svc_clear_schedule_runs() returns trigger language plpgsql as $$
    begin
      update svc_schedule_runs r
      set run_id = null, session_id = null, error = null, input = null, output = null, requirements = null
      from gone where r.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_removed after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_clear_schedule_runs()`
})
