// Datasets. An item is in the versions from `from_version` until before `until_version`.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
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
})
