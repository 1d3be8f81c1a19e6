// Evaluation runs with what their runs have given so far, datasets, and experiments.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // `bytes` is the size of the data and the input of an evaluation that has ended, so that a list is measured before it is read.
  // The users of unfinished evaluations are counted by `user_id`. Retention counts from `ended_at`.
  yield* sql`
    create table svc_eval_runs (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      eval_type text collate "C" not null
        check (eval_type in ('accuracy', 'agent_as_judge', 'performance', 'reliability')),
      agent_id text collate "C",
      team_id text collate "C",
      workflow_id text collate "C",
      model_id text collate "C",
      model_provider text collate "C",
      name text collate "C",
      evaluated_component_name text,
      eval_data json not null,
      eval_input json,
      status text collate "C" not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
      done integer not null default 0 check (done between 0 and 1000000),
      total integer not null check (total between 0 and 1000000),
      error text,
      job_id text collate "C" not null,
      request json,
      bytes integer not null default 0 check (bytes between 0 and 2147483646),
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      user_id text collate "C",
      ended_at bigint check (ended_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_eval_runs_by_age on svc_eval_runs (status, created_at desc, seq desc)`
  yield* sql`
    create index svc_eval_runs_by_agent on svc_eval_runs (agent_id, status, created_at desc, seq desc)
    where agent_id is not null`
  yield* sql`
    create index svc_eval_runs_by_team on svc_eval_runs (team_id, status, created_at desc, seq desc)
    where team_id is not null`
  yield* sql`
    create index svc_eval_runs_unfinished on svc_eval_runs (created_at) where status in ('PENDING', 'RUNNING')`
  yield* sql`
    create index svc_eval_runs_ended on svc_eval_runs ((coalesce(ended_at, updated_at)))
    where status not in ('PENDING', 'RUNNING')`
  yield* sql`
    create table svc_eval_results (
      eval_id text collate "C" not null references svc_eval_runs (id) on delete cascade,
      place integer not null,
      body json not null,
      primary key (eval_id, place)
    )`

  // Datasets. An item is in the versions from `from_version` until before `until_version`.
  yield* sql`
    create table svc_datasets (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      user_id text collate "C",
      name text not null,
      description text,
      version integer not null check (version between 1 and 1000000000),
      item_count integer not null check (item_count between 0 and 1000000000),
      row_count integer not null default 0 check (row_count between 0 and 1000000000),
      last_place bigint not null default 0,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_datasets_by_user on svc_datasets (user_id, seq)`
  yield* sql`
    create table svc_dataset_items (
      dataset_id text collate "C" not null references svc_datasets (id) on delete cascade,
      id text collate "C" not null,
      from_version integer not null,
      until_version integer,
      place bigint not null,
      body json not null,
      bytes integer not null,
      primary key (dataset_id, id, from_version)
    )`
  yield* sql`create index svc_dataset_items_by_place on svc_dataset_items (dataset_id, place)`

  // Experiments, and the results of their items. `component_versions` are the versions of a stored component with which an
  // experiment began, and its draft. `input` of a result is the beginning of the item's input.
  yield* sql`
    create table svc_experiments (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      user_id text collate "C",
      dataset_id text collate "C" not null references svc_datasets (id) on delete cascade,
      dataset_version integer not null check (dataset_version >= 0),
      kind text collate "C" not null check (kind in ('agent', 'team', 'workflow')),
      component_id text collate "C" not null,
      component_version text,
      name text,
      scorers json not null,
      concurrency integer not null check (concurrency between 1 and 10),
      is_isolated boolean not null,
      status text collate "C" not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
      items_total integer not null check (items_total between 0 and 1000000000),
      error text,
      summary json,
      job_id text collate "C" not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      component_versions json
    )`
  yield* sql`create index svc_experiments_by_user on svc_experiments (user_id, seq)`
  yield* sql`create index svc_experiments_by_dataset on svc_experiments (dataset_id, seq)`
  yield* sql`
    create index svc_experiments_unfinished on svc_experiments (created_at) where status in ('PENDING', 'RUNNING')`
  yield* sql`
    create index svc_experiments_ended on svc_experiments (updated_at) where status not in ('PENDING', 'RUNNING')`
  yield* sql`
    create table svc_experiment_items (
      experiment_id text collate "C" not null references svc_experiments (id) on delete cascade,
      place integer not null,
      item_id text collate "C" not null,
      status text not null check (status in ('passed', 'failed', 'error')),
      score double precision,
      figures json not null,
      body json not null,
      bytes integer not null,
      input text,
      primary key (experiment_id, place)
    )`

  // Webhooks can want the ends of evaluations and of experiments.
  yield* sql`
    create function svc_announce_evaluation() returns trigger language plpgsql as $$
    declare
      kind text := case when new.agent_id is not null then 'agent' when new.team_id is not null then 'team'
        else 'workflow' end;
      source text := coalesce(new.agent_id, new.team_id, new.workflow_id);
    begin
      perform svc_announce(
        'evaluation.completed', kind, source, null, null,
        json_build_object(
          'evaluation_id', new.id,
          'component', case when source is not null then json_build_object('kind', kind, 'id', source) end,
          'status', new.status, 'eval_type', new.eval_type, 'name', new.name
        )
      );
      return null;
    end $$`
  yield* sql`
    create trigger svc_eval_runs_announced after update of status on svc_eval_runs for each row
    when (old.status in ('PENDING', 'RUNNING') and new.status in ('COMPLETED', 'FAILED', 'CANCELLED'))
    execute function svc_announce_evaluation()`
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

export const evaluation = migrationSet("evaluation", [["tables", tables]])
