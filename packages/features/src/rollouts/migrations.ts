// Rollouts. One of a component is not ended at most. A stop of the guard is announced to webhooks.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_rollouts (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      component_id text collate "C" not null,
      state text collate "C" not null check (state in ('active', 'stopped', 'ended')),
      revision integer not null check (revision between 1 and 1000000000),
      stops integer not null check (stops between 0 and 1000000000),
      body json not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_rollouts_by_component on svc_rollouts (component_id, seq desc)`
  yield* sql`create unique index svc_rollouts_open on svc_rollouts (component_id) where state <> 'ended'`
  yield* sql`
    create function svc_announce_rollout() returns trigger language plpgsql as $$
    begin
      perform svc_announce(
        'rollout.stopped', new.body->>'component_type', new.component_id, null, null,
        json_build_object(
          'rollout_id', new.id, 'component_id', new.component_id, 'state', new.state, 'reason', new.body->'reason',
          'base_version', new.body->'base_version', 'versions', new.body->'versions'
        )
      );
      return null;
    end $$`
  yield* sql`
    create trigger svc_rollouts_announced after update of stops on svc_rollouts for each row
    when (new.stops > old.stops) execute function svc_announce_rollout()`
})

export const rollouts = migrationSet("rollouts", [["tables", tables]])
