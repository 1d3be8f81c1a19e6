// An approval has the id of the run that is resumed when it is resolved. `resume_pending` replaces `is_untold`, which
// nodes of the version before still read and write: a trigger keeps both columns equal.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_approvals add column root_run_id text collate "C"`
  yield* sql`alter table svc_approvals add column resume_pending boolean not null default false`
  yield* sql`
    update svc_approvals a set resume_pending = a.is_untold, root_run_id = coalesce(
      (select coalesce(r.outermost_run_id, r.run_id) from svc_runs r where r.run_id = a.run_id),
      (
        select r.run_id from svc_runs r
        where r.session_id = a.session_id and r.kind = 'workflow' and r.status = 'PAUSED'
          and strpos(r.output::text, '"' || a.run_id || '"') > 0
        order by r.seq limit 1
      )
    )
    where a.is_untold or a.status = 'pending'`
  yield* sql`create index svc_approvals_resume_pending on svc_approvals (id) where resume_pending`
  yield* sql`create index svc_approvals_by_root on svc_approvals (root_run_id) where status = 'pending'`
  yield* sql`
    create function svc_keep_resume_pending() returns trigger language plpgsql as $$
    begin
      if new.is_untold is distinct from old.is_untold then
        new.resume_pending := new.is_untold;
      else
        new.is_untold := new.resume_pending;
      end if;
      return new;
    end $$`
  yield* sql`
    create trigger svc_approvals_resume_pending before update on svc_approvals for each row
    when (new.is_untold is distinct from old.is_untold or new.resume_pending is distinct from old.resume_pending)
    execute function svc_keep_resume_pending()`
})
