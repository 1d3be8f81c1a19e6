// Spans are removed with their trace by a trigger: a foreign key costs each span that is written a look at its trace.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_spans drop constraint svc_spans_trace_id_owner_fkey`
  // it reads what was committed after its statement began, such as spans whose writer held the lock of the trace
  yield* sql`
    create function svc_remove_spans() returns trigger language plpgsql as $$
    begin
      delete from svc_spans s using gone where s.trace_id = gone.trace_id and s.owner = gone.owner;
      return null;
    end $$`
  yield* sql`
    create trigger svc_traces_removed after delete on svc_traces
    referencing old table as gone for each statement execute function svc_remove_spans()`
})
