// Webhooks and their deliveries. The secrets sign calls, so they are stored sealed, or as they are without a key.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
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
  // The events that webhooks of another database want of this one.
  yield* sql`create table svc_followed_events (event text collate "C" primary key)`
  yield* sql`
    create table svc_webhook_deliveries (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      webhook_id text collate "C" not null,
      event_id text collate "C" not null,
      event text collate "C" not null,
      user_id text collate "C",
      session_id text collate "C",
      payload json not null,
      bytes integer not null check (bytes between 0 and 2147483646),
      status text collate "C" not null check (status in ('pending', 'succeeded', 'failed')),
      attempts integer not null default 0 check (attempts between 0 and 1000000),
      status_code integer,
      error text,
      job_id text collate "C" not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799),
      unique (webhook_id, event_id)
    )`
  yield* sql`create index svc_webhook_deliveries_by_webhook on svc_webhook_deliveries (webhook_id, seq)`
  yield* sql`create index svc_webhook_deliveries_by_status on svc_webhook_deliveries (webhook_id, status, seq)`
  yield* sql`
    create index svc_webhook_deliveries_pending on svc_webhook_deliveries (webhook_id, bytes) where status = 'pending'`
  yield* sql`
    create index svc_webhook_deliveries_silent on svc_webhook_deliveries (coalesce(updated_at, created_at))
    where status = 'pending'`
  yield* sql`
    create index svc_webhook_deliveries_ended on svc_webhook_deliveries (coalesce(updated_at, created_at))
    where status <> 'pending'`
  yield* sql`
    create index svc_webhook_deliveries_by_session on svc_webhook_deliveries (session_id) where session_id is not null`
  yield* sql`
    create index svc_webhook_deliveries_by_user on svc_webhook_deliveries (user_id) where user_id is not null`
  // The deliveries of a session are removed with it, after its jobs: triggers are executed in the order of their names.
  yield* sql`
    create function svc_forget_deliveries() returns trigger language plpgsql as $$
    begin
      delete from svc_webhook_deliveries d using gone where d.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_forgotten_deliveries after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_forget_deliveries()`

  // Triggers announce events: they store a job in the transaction in which a run ends or pauses, or an approval is created
  // or resolved. Nothing is stored that no webhook wants. Other features call `svc_announce` in triggers of their own tables.
  yield* sql`
    create or replace function svc_announce(
      announced text, source_kind text, source_id text, owner_id text, in_session text, happened json
    ) returns void language plpgsql as $$
    declare
      event_id text := gen_random_uuid()::text;
    begin
      if not exists (select from svc_webhooks w where w.enabled and announced = any(w.events))
        and not exists (select from svc_followed_events f where f.event = announced) then
        return;
      end if;
      insert into svc_jobs (id, kind, status, payload, max_attempts, user_id, session_id, is_due, turn, run_at)
      values (
        event_id, 'webhook-event', 'PENDING', json_build_object(
          'id', event_id, 'type', announced, 'at', floor(extract(epoch from now()))::bigint, 'component',
          case when source_id is not null then json_build_object('kind', source_kind, 'id', source_id) end,
          'data', happened, 'last_webhook', (select max(w.seq) from svc_webhooks w)
        ), 100, owner_id, in_session, true, coalesce((
          select d.turn from svc_jobs d where d.kind = 'webhook-event' and d.status = 'PENDING' and d.is_due
          order by d.turn, d.seq limit 1
        ), 0), now()
      );
    end $$`
  yield* sql`
    create function svc_announce_run() returns trigger language plpgsql as $$
    begin
      if not exists (select from svc_webhooks w where w.enabled) and not exists (select from svc_followed_events)
        or exists (select from svc_sessions s where s.session_id = new.session_id and s.is_evaluation) then
        return null;
      end if;
      perform svc_announce(
        case new.status when 'COMPLETED' then 'run.completed' when 'ERROR' then 'run.failed'
          when 'CANCELLED' then 'run.cancelled' else 'run.paused' end,
        new.kind, new.component_id, new.user_id, new.session_id,
        json_build_object(
          'run_id', new.run_id, 'session_id', new.session_id, 'user_id', new.user_id,
          'component', json_build_object('kind', new.kind, 'id', new.component_id), 'status', new.status
        )
      );
      return null;
    end $$`
  yield* sql`
    create trigger svc_runs_announced after update of status on svc_runs for each row
    when (
      new.status in ('COMPLETED', 'ERROR', 'CANCELLED', 'PAUSED') and new.status <> old.status
      and new.parent_run_id is null
    ) execute function svc_announce_run()`
  yield* sql`
    create function svc_announce_approval() returns trigger language plpgsql as $$
    declare
      source text := case new.source_type when 'agent' then new.agent_id when 'team' then new.team_id
        else new.workflow_id end;
    begin
      perform svc_announce(
        tg_argv[0], new.source_type, source, new.user_id, new.session_id,
        json_build_object(
          'approval_id', new.id, 'run_id', new.run_id, 'session_id', new.session_id, 'user_id', new.user_id,
          'component', case when source is not null then json_build_object('kind', new.source_type, 'id', source) end,
          'status', new.status, 'approval_type', new.approval_type, 'pause_type', new.pause_type,
          'tool_name', new.tool_name
        )
      );
      return null;
    end $$`
  yield* sql`
    create trigger svc_approvals_created after insert on svc_approvals for each row when (new.status = 'pending')
    execute function svc_announce_approval('approval.created')`
  yield* sql`
    create trigger svc_approvals_resolved after update of status on svc_approvals for each row
    when (old.status = 'pending' and new.status <> 'pending')
    execute function svc_announce_approval('approval.resolved')`
})

export const webhooks = migrationSet("webhooks", [["tables", tables]])
