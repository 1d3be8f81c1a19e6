// The versions of stored components. What is removed keeps its id or its number.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create index svc_components_listed on svc_components (created_at desc, component_id) where removed_at is null`
  yield* sql`
    create index svc_components_of_type on svc_components (component_type, created_at desc, component_id)
    where removed_at is null`
  yield* sql`
    create table svc_component_configs (
      component_id text collate "C" not null references svc_components (component_id) on delete cascade,
      version integer not null check (version between 1 and 1000000000),
      label text collate "C",
      stage text not null check (stage in ('draft', 'published')),
      config json not null,
      links json not null,
      notes text,
      bytes integer not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799),
      removed_at bigint check (removed_at between 0 and 253402300799),
      primary key (component_id, version)
    )`
  yield* sql`
    create unique index svc_component_configs_by_label on svc_component_configs (component_id, label)
    where label is not null and removed_at is null`
})

export const components = migrationSet("components", [["tables", tables]])
