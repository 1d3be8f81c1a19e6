// Announces further events to webhooks: runs of schedules whose last attempt has failed, and ends of experiments.
//
// The trigger of a failed attempt is executed at the end of the statement that ends it: it sees the next attempt, and
// whether the schedule is disabled.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function svc_announce_schedule_run() returns trigger language plpgsql as $$
    begin
      if exists (select from svc_schedule_runs n where n.first_id = new.first_id and n.attempt > new.attempt) then
        return null;
      end if;
      perform svc_announce(
        'schedule.failed', null, null, null, new.session_id,
        json_build_object(
          'schedule_id', new.schedule_id, 'name', s.name, 'schedule_run_id', new.id, 'run_id', new.run_id,
          'session_id', new.session_id, 'status', new.status, 'error', left(new.error, 1000), 'attempts', new.attempt,
          'disabled', not s.enabled and s.paused_reason is not null
        )
      )
      from svc_schedules s where s.id = new.schedule_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_schedule_runs_announced after update of status on svc_schedule_runs for each row
    when (old.status = 'running' and new.status = 'failed') execute function svc_announce_schedule_run()`
  yield* sql`
    create function svc_announce_experiment() returns trigger language plpgsql as $$
    begin
      perform svc_announce(
        'experiment.completed', new.kind, new.component_id, new.user_id, null,
        json_build_object(
          'experiment_id', new.id, 'user_id', new.user_id,
          'component', json_build_object('kind', new.kind, 'id', new.component_id), 'status', new.status,
          'name', new.name, 'dataset_id', new.dataset_id, 'dataset_version', new.dataset_version
        )
      );
      return null;
    end $$`
  yield* sql`
    create trigger svc_experiments_announced after update of status on svc_experiments for each row
    when (old.status in ('PENDING', 'RUNNING') and new.status in ('COMPLETED', 'FAILED', 'CANCELLED'))
    execute function svc_announce_experiment()`
})
