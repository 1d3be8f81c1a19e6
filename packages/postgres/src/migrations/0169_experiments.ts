// Experiments, and the results of their items.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
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
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_experiments_by_user on svc_experiments (user_id, seq)`
  yield* sql`create index svc_experiments_by_dataset on svc_experiments (dataset_id, seq)`
  yield* sql`
    create index svc_experiments_unfinished on svc_experiments (created_at) where status in ('PENDING', 'RUNNING')`
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
      primary key (experiment_id, place)
    )`
})
