// Webhooks. The secrets sign calls, so they are stored as they are.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_webhooks (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      url text not null,
      description text,
      events text[] not null,
      component_kind text collate "C" check (component_kind in ('agent', 'team', 'workflow')),
      component_id text collate "C",
      user_id text collate "C",
      enabled boolean not null,
      disabled_reason text,
      failures integer not null default 0 check (failures between 0 and 1000000000),
      dropped integer not null default 0 check (dropped between 0 and 1000000000),
      secret text not null,
      previous_secret text,
      previous_until bigint check (previous_until between 0 and 253402300799),
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_webhooks_by_user on svc_webhooks (user_id, seq)`
})
