// What every service has: sessions, runs and their journal, nodes, approvals, claims of requests, jobs, usage and the limits
// of starts. The other sets may refer to these tables, and this one refers to none of theirs.
//
// Ids are compared by code point ("C"): the same order in every database, and the cheapest one. JSON that is only shown is
// `json`, which keeps it as it was written, with the order of keys and `\u0000`; `jsonb` is for what SQL computes with.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrationSet } from "../sql/MigrationSet.ts"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Sessions. `summarized_run` is the last run that the summary of a session covers. `passed_runs` are before it, but not in
  // the summary, because they had not completed. `removed_at` is when the removal of a large session began: from then on
  // nothing of it is visible, and its data is removed in pieces.
  yield* sql`
    create table svc_sessions (
      session_id text collate "C" primary key,
      seq bigint generated always as identity,
      session_type text not null check (session_type in ('agent', 'team', 'workflow')),
      agent_id text collate "C",
      team_id text collate "C",
      workflow_id text collate "C",
      user_id text collate "C",
      session_name text,
      derived_name text,
      session_state json,
      session_metrics jsonb,
      component_data json,
      metadata json,
      summary json,
      created_at bigint not null,
      updated_at bigint not null,
      summarized_run bigint not null default 0,
      removed_at bigint,
      passed_runs bigint[] not null default '{}',
      is_evaluation boolean not null default false,
      check (num_nonnulls(agent_id, team_id, workflow_id) <= 1)
    )`
  // There is no index for sorting by `updated_at`: it changes with the end of every run, which would write into every index.
  yield* sql`create index svc_sessions_by_age on svc_sessions (created_at desc, seq desc)`
  yield* sql`create index svc_sessions_by_user on svc_sessions (user_id, created_at desc, seq desc)`
  yield* sql`
    create index svc_sessions_by_component
    on svc_sessions ((coalesce(agent_id, team_id, workflow_id)), created_at desc, seq desc)`
  // The index has the first characters only: a key of an index has at most 2,700 bytes, and a name may be longer.
  yield* sql`create index svc_sessions_by_name on svc_sessions ((left(session_name, 512)) collate "C", seq)`
  // Counting the sessions of an owner reads this narrow index. It has no condition: where no statistics are collected, a
  // session would be looked up by reading all of an index with one.
  yield* sql`create index svc_sessions_counted on svc_sessions (user_id, session_type, removed_at)`
  yield* sql`create index svc_sessions_removed on svc_sessions (removed_at) where removed_at is not null`
  // It finds the newest sessions of a user with a component, however many others there are.
  yield* sql`
    create index svc_sessions_past
    on svc_sessions (user_id, (coalesce(agent_id, team_id, workflow_id)), created_at desc, seq desc)
    where user_id is not null`

  // Runs. `seq` is the order in which runs were accepted. Messages and events refer to it and not to the id of the run, so
  // that what is written together lies together (measured: 14 % smaller than by a UUID).
  //
  // The queue of a session: a run that `is_serialized` is PENDING until those before it have ended, and one of them at a time
  // is RUNNING, on any node. `is_unfinished` is a column so that only the statements that name it use its indexes: where no
  // statistics are collected, a look-up by id would read all of such an index otherwise.
  //
  // Leases: `attempt` rises each time that the lease is acquired, and writes under an old one are refused. `node` is empty
  // when a run was handed over and is not acquired yet. `takeovers` counts the holders that died since the last journal
  // entry (`taken_entries` is how many entries there were then), `postponed` how often a holder gave the run back. Until
  // `not_before` no node acquires it, and since `free_since` no node could execute it. `format` is what its next holder must
  // be able to read. A run that cannot be read ends as ERROR, and what was stored is kept in `set_aside_output`.
  //
  // Copies: `forked_from_session_id` is the session in which a copied run was first. `copied_runs` has the ids of the runs
  // around and inside of it in the copy, by the ids that its output says. `origin_seq` is the number of the original, also
  // of a run that is replaced. `outermost_run_id` is the root of the runs around a member's run.
  //
  // `begin_id` distinguishes a run that was stored by a lost statement from another one with the same id. `counted_usage` is
  // the part of the usage that its session has already. `history_runs` is how many earlier runs a run is shown,
  // `skips_unfinished` that unfinished ones are not among them, and `history_bytes` the size of its own messages
  // in later histories. `resume_claims` and `resumed_at` are the idempotency
  // claim of the request that resumed it and how many entries the journal had. Up to `folded_attempt` and `emptied_attempt`
  // its events are folded or removed. `without_memory`: the caller wanted a run that leaves nothing. `model` is a column
  // because PostgreSQL cannot read a key of `json` that contains U+0000. `waits_for` has the limits for which it waits.
  yield* sql`
    create table svc_runs (
      run_id text collate "C" primary key,
      seq bigint generated always as identity unique,
      session_id text collate "C" not null references svc_sessions on delete cascade,
      parent_run_id text collate "C",
      kind text not null check (kind in ('agent', 'team', 'workflow')),
      component_id text collate "C" not null,
      user_id text collate "C",
      node text collate "C" not null,
      status text not null check (
        status in ('PENDING', 'RUNNING', 'COMPLETED', 'PAUSED', 'CANCELLED', 'ERROR', 'REGENERATED')
      ),
      created_at bigint not null,
      updated_at bigint not null,
      output json not null,
      cancel_requested boolean not null default false,
      attempt integer not null default 1,
      command json,
      history_runs integer not null default 0,
      skips_unfinished boolean not null default false,
      is_serialized boolean not null default false,
      forked_from_session_id text collate "C",
      is_unfinished boolean generated always as (status in ('PENDING', 'RUNNING')) stored,
      copied_runs json,
      outermost_run_id text collate "C",
      takeovers integer not null default 0,
      taken_entries integer not null default 0,
      postponed integer not null default 0,
      not_before timestamptz,
      free_since timestamptz,
      format integer not null default 1,
      set_aside_reason text,
      set_aside_output json,
      begin_id text collate "C",
      counted_usage jsonb,
      history_bytes bigint,
      resume_claims text[] not null default '{}',
      resumed_at integer,
      folded_attempt integer not null default 0,
      emptied_attempt integer not null default 0,
      without_memory boolean not null default false,
      origin_seq bigint,
      model text,
      model_provider text,
      waits_for json
    )`
  yield* sql`create index svc_runs_by_session on svc_runs (session_id, seq)`
  // The history of the next run of a session is read through this index, whatever else is in the session. The planner uses it
  // even without statistics; it does not use the index above then.
  yield* sql`
    create index svc_runs_ended on svc_runs (session_id, seq)
    where status in ('COMPLETED', 'CANCELLED', 'ERROR') and parent_run_id is null`
  yield* sql`create index svc_runs_unfinished on svc_runs (session_id, seq) where is_unfinished`
  yield* sql`
    create unique index svc_runs_running_serialized on svc_runs (session_id)
    where is_unfinished and is_serialized and status = 'RUNNING'`
  // The ended runs of each member of a team, in the order in which they were stored.
  yield* sql`
    create index svc_runs_of_members on svc_runs (session_id, component_id, seq)
    where outermost_run_id is not null and status in ('COMPLETED', 'CANCELLED', 'ERROR')`
  // The holders of unfinished runs are found one by one in it, and the runs of each in their order. `node >= ''` is true for
  // every row: statistics from a moment without unfinished runs make all indexes of them look equally cheap, and a statement
  // that looks for the runs of one session would read all rows of the wrong one.
  yield* sql`create index svc_runs_by_holder on svc_runs (node, seq) where is_unfinished and node >= ''`
  yield* sql`create index svc_runs_cancelled on svc_runs (node) where is_unfinished and cancel_requested`
  yield* sql`create index svc_runs_waiting on svc_runs (node, seq) where waits_for is not null and is_unfinished`
  yield* sql`
    create index svc_runs_to_fold on svc_runs (updated_at)
    where not is_unfinished and folded_attempt < attempt`
  yield* sql`
    create index svc_runs_with_events on svc_runs (updated_at)
    where not is_unfinished and emptied_attempt < attempt`
  yield* sql`
    create index svc_runs_with_journal on svc_runs (updated_at)
    where not is_unfinished and command is not null`
  // Root runs of a component in the order of their last change, and those that failed or wait. The condition is spelled as
  // no other statement spells it: without statistics the planner would prefer these indexes where the root runs of a session
  // are read.
  yield* sql`
    create index svc_runs_by_change on svc_runs (component_id, updated_at desc, seq desc)
    where coalesce(parent_run_id, '') = ''`
  yield* sql`
    create index svc_runs_halted on svc_runs (component_id, status, updated_at desc, seq desc)
    where coalesce(parent_run_id, '') = '' and status in ('ERROR', 'PAUSED')`

  // What runs consist of. Events that are stored with a journal entry say in `journal_entries` how many entries the run has
  // then: a journal whose last entries were lost is noticed by that. A fold is one row with many events, one after the
  // other.
  yield* sql`
    create table svc_messages (
      run_seq bigint references svc_runs (seq) on delete cascade,
      position integer,
      role text not null,
      from_history boolean not null,
      body json not null,
      primary key (run_seq, position)
    )`
  yield* sql`
    create table svc_run_events (
      run_seq bigint references svc_runs (seq) on delete cascade,
      event_index integer,
      kind text not null,
      body json not null,
      journal_entries integer,
      primary key (run_seq, event_index)
    )`
  yield* sql`
    create table svc_run_event_folds (
      run_seq bigint references svc_runs (seq) on delete cascade,
      first_index integer,
      last_index integer not null,
      body text not null,
      primary key (run_seq, first_index)
    )`
  yield* sql`
    create table svc_run_journal (
      run_seq bigint references svc_runs (seq) on delete cascade,
      position integer,
      body json not null,
      primary key (run_seq, position)
    )`

  // Long texts of a session's runs, such as uploaded files and results of tools, in parts of bounded size. Each is stored
  // once. They have no foreign key: the text of a new run is stored before its session.
  yield* sql`
    create table svc_large_texts (
      session_id text collate "C" not null,
      hash text collate "C" not null,
      part integer not null,
      body bytea not null,
      stored_at timestamptz not null default now(),
      primary key (session_id, hash, part)
    )`
  // Uploads are compressed as a rule: to compress them again would take time for nothing.
  yield* sql`alter table svc_large_texts alter column body set storage external`
  yield* sql`
    create function svc_forget_large_texts() returns trigger language plpgsql as $$
    begin
      delete from svc_large_texts where session_id = old.session_id;
      return old;
    end $$`
  yield* sql`
    create trigger svc_forget_large_texts after delete on svc_sessions
    for each row execute function svc_forget_large_texts()`

  // Nodes: the process of the operating system, the components that a node can execute, and the newest stored format that it
  // reads. Its heartbeats have had no gap since `steady_since`. A lease of `svc_leases` is of the one node that does something for all of them.
  yield* sql`
    create table svc_nodes (
      node text collate "C" primary key,
      seen_at timestamptz not null,
      steady_since timestamptz not null default now(),
      process text,
      components text[] not null default '{}',
      format integer not null default 1
    )`
  yield* sql`
    create table svc_leases (name text primary key, holder text not null, expires_at timestamptz not null)`

  // Approvals. `kept_with` is the session when it is in this database, and takes the approval with it when it is removed.
  // `root_run_id` is the run that is resumed when the approval is resolved, and `resume_pending` says that it must still be.
  yield* sql`
    create table svc_approvals (
      id text collate "C" primary key,
      seq bigint generated always as identity,
      run_id text collate "C" not null,
      session_id text collate "C" not null,
      kept_with text collate "C" references svc_sessions on delete cascade,
      status text not null check (status in ('pending', 'approved', 'rejected', 'expired', 'cancelled')),
      source_type text not null check (source_type in ('agent', 'team', 'workflow')),
      approval_type text not null check (approval_type in ('required', 'audit')),
      pause_type text not null check (pause_type in ('confirmation', 'user_input', 'external_execution')),
      tool_name text,
      tool_args json,
      expires_at bigint,
      agent_id text collate "C",
      team_id text collate "C",
      workflow_id text collate "C",
      user_id text collate "C",
      schedule_id text collate "C",
      schedule_run_id text collate "C",
      source_name text,
      requirements json,
      context json,
      resolution_data json,
      resolved_by text,
      resolved_at bigint,
      created_at bigint not null,
      updated_at bigint not null,
      run_status text,
      root_run_id text collate "C",
      resume_pending boolean not null default false
    )`
  yield* sql`create index svc_approvals_by_age on svc_approvals (created_at desc, seq desc)`
  yield* sql`create index svc_approvals_by_user on svc_approvals (user_id, created_at desc, seq desc)`
  yield* sql`
    create index svc_approvals_pending on svc_approvals (created_at desc, seq desc) where status = 'pending'`
  yield* sql`create index svc_approvals_by_run on svc_approvals (run_id, seq)`
  yield* sql`create index svc_approvals_by_session on svc_approvals (kept_with)`
  yield* sql`create index svc_approvals_resume_pending on svc_approvals (id) where resume_pending`
  yield* sql`create index svc_approvals_by_root on svc_approvals (root_run_id) where status = 'pending'`

  // JSON that PostgreSQL cannot read: the keys of `json` that says U+0000 or half of a surrogate pair. These escapes are
  // replaced by U+FDD0, which no text contains, and put back afterwards. An escaped backslash is set aside first, as U+0001.
  yield* sql`
    create function svc_guard_json(body text) returns text
    language sql immutable parallel safe as $$
      select case when strpos(body, '\\u') = 0 then body else replace(
        regexp_replace(
          replace(body, '\\\\', chr(1)), '\\\\u(0000|d[89a-f][0-9a-f]{2})', chr(64976) || '\\1', 'gi'
        ), chr(1), '\\\\'
      ) end
    $$`
  yield* sql`
    create function svc_unguard_json(body text) returns text
    language sql immutable parallel safe as $$
      select case when strpos(body, chr(64976)) = 0 then body else
        regexp_replace(body, chr(64976) || '(0000|d[89a-f][0-9a-f]{2})', '\\\\u\\1', 'gi') end
    $$`
  // Each change of a session's state is {"set": object, "removed": list of keys}. Keys keep their places, new ones come last.
  yield* sql`
    create function svc_change_state(state json, changes json[]) returns json
    language plpgsql immutable parallel safe as $$
    declare
      body json := svc_guard_json(coalesce(state::text, '{}'))::json;
      change json;
    begin
      foreach change in array changes loop
        if change is null then
          continue;
        end if;
        change := svc_guard_json(change::text)::json;
        select ('{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' order by side, place), '') || '}')::json
        into body
        from (
          select 1 as side, old.place, old.key, coalesce(new.value, old.value) as value
          from json_each(body) with ordinality as old (key, value, place)
            left join json_each(change -> 'set') as new (key, value) on new.key = old.key
          where new.key is not null
            or old.key not in (select removed.key from json_array_elements_text(change -> 'removed') as removed (key))
          union all
          select 2, new.place, new.key, new.value
          from json_each(change -> 'set') with ordinality as new (key, value, place)
          where new.key not in (select old.key from json_each(body) as old (key, value))
        ) merged;
      end loop;
      return svc_unguard_json(body::text)::json;
    end $$`

  // The keys of requests, while they are valid. `free_from` is when the key of a claim is free again, by the clock of the
  // database: the clocks of the nodes differ.
  yield* sql`
    create table svc_idempotency (
      key text collate "C" primary key,
      claim_id text collate "C" not null,
      fingerprint text collate "C" not null,
      subject json not null,
      created_at bigint not null,
      expires_at bigint not null,
      free_from timestamptz not null,
      session_id text collate "C" generated always as (svc_guard_json(subject::text)::json ->> 'session_id') stored
    )`
  yield* sql`create index svc_idempotency_free on svc_idempotency (free_from)`
  yield* sql`create index svc_idempotency_by_session on svc_idempotency (session_id)`

  // Background work that is no run. `pending_key` is set until a job starts: another one with the same key is not stored.
  // `turn` orders the due jobs of a kind so that keys and callers with many jobs do not delay those with few. `lease` fences writes.
  // `trace` is the span that has enqueued the job. The constraints keep a damaged number from failing the statements that
  // jobs share.
  yield* sql`
    create table svc_jobs (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      kind text collate "C" not null,
      key text collate "C",
      pending_key text collate "C",
      status text not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
      payload json not null,
      progress json,
      attempts integer not null default 0 check (attempts between 0 and 1000000),
      max_attempts integer not null check (max_attempts between 1 and 1000000),
      last_error text,
      cancel_requested boolean not null default false,
      user_id text collate "C",
      caller text collate "C",
      session_id text collate "C",
      is_due boolean not null,
      turn bigint not null check (turn between 0 and 1000000000000000),
      run_at timestamptz not null check (run_at between '1970-01-01' and '9999-01-01'),
      node text collate "C" not null default '',
      lease integer not null default 0 check (lease between 0 and 2147483646),
      created_at timestamptz not null default now() check (created_at between '1970-01-01' and '9999-01-01'),
      updated_at timestamptz not null default now() check (updated_at between '1970-01-01' and '9999-01-01'),
      trace json
    )`
  yield* sql`
    create unique index svc_jobs_pending_key on svc_jobs (kind, pending_key) where pending_key is not null`
  yield* sql`create unique index svc_jobs_running_key on svc_jobs (kind, key) where status = 'RUNNING'`
  yield* sql`create index svc_jobs_due on svc_jobs (kind, turn, seq) where status = 'PENDING' and is_due`
  yield* sql`
    create index svc_jobs_due_of_key on svc_jobs (kind, key, turn, seq) where status = 'PENDING' and is_due`
  yield* sql`
    create index svc_jobs_due_of_caller on svc_jobs (kind, caller, turn, seq)
    where status = 'PENDING' and is_due and caller is not null`
  // The condition on `id` is as the one on `node` of `svc_runs_by_holder`.
  yield* sql`
    create index svc_jobs_delayed on svc_jobs (run_at) where status = 'PENDING' and not is_due and id >= ''`
  yield* sql`
    create index svc_jobs_delayed_of_key on svc_jobs (kind, key) where status = 'PENDING' and not is_due`
  yield* sql`create index svc_jobs_running on svc_jobs (node) where status = 'RUNNING'`
  yield* sql`create index svc_jobs_ended on svc_jobs (updated_at) where status not in ('PENDING', 'RUNNING')`
  yield* sql`create index svc_jobs_by_user on svc_jobs (user_id, seq)`
  yield* sql`create index svc_jobs_by_session on svc_jobs (session_id) where session_id is not null`
  // The jobs of a kind that the runs of a component have enqueued on one day, for the limits of a day: a later day replaces
  // the one before it. A row is small, and stays when its component is gone.
  yield* sql`
    create table svc_daily_jobs (
      kind text collate "C" not null,
      component_kind text collate "C" not null,
      component_id text collate "C" not null,
      day integer not null,
      count bigint not null,
      primary key (kind, component_kind, component_id)
    )`

  // Claims of requests and jobs are removed with the session that they are about.
  yield* sql`
    create function svc_forget_session() returns trigger language plpgsql as $$
    begin
      delete from svc_idempotency i using gone where i.session_id = gone.session_id;
      delete from svc_jobs j using gone where j.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_forgotten after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_forget_session()`

  // Sums of usage, as in `Usage` of the domain: in double precision as JavaScript has it, and without zeros, except for a
  // known cost of zero. A loop, because it takes half the time of one statement over both sides.
  yield* sql`
    create function svc_add_counters(one jsonb, other jsonb) returns jsonb
    language plpgsql immutable parallel safe as $$
    declare
      sums jsonb := '{}';
      counter text;
      total double precision;
    begin
      foreach counter in array array[
        'input_tokens', 'output_tokens', 'total_tokens', 'audio_input_tokens', 'audio_output_tokens',
        'audio_total_tokens', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost'
      ] loop
        if one ? counter or other ? counter then
          total := coalesce((one ->> counter)::double precision, 0) + coalesce((other ->> counter)::double precision, 0);
          if total <> 0 or (counter = 'cost' and 0 in (
            (one ->> counter)::double precision, (other ->> counter)::double precision
          )) then
            sums := sums || jsonb_build_object(counter, total);
          end if;
        end if;
      end loop;
      return sums;
    end $$`
  // The sum of a known and an unknown cost of a model is not known.
  yield* sql`
    create function svc_add_model(one jsonb, other jsonb) returns jsonb
    language plpgsql immutable parallel safe as $$
    declare
      sums jsonb := svc_add_counters(one, other) || jsonb_build_object('id', one -> 'id', 'provider', one -> 'provider');
      model jsonb;
    begin
      foreach model in array array[one, other] loop
        if not (model ? 'cost') and coalesce((model ->> 'total_tokens')::double precision, 0) <> 0 then
          return sums - 'cost';
        end if;
      end loop;
      return sums;
    end $$`
  yield* sql`
    create function svc_add_usage(session jsonb, run jsonb) returns jsonb
    language plpgsql immutable parallel safe as $$
    declare
      sums jsonb := svc_add_counters(session, run);
      details jsonb := coalesce(session -> 'details', '{}');
      role text;
      used jsonb;
      models jsonb;
      usage jsonb;
      at integer;
    begin
      if not (session ? 'details' or run ? 'details') then
        return sums;
      end if;
      for role, used in select key, value from jsonb_each(coalesce(run -> 'details', '{}')) loop
        models := coalesce(details -> role, '[]');
        for usage in select value from jsonb_array_elements(used) loop
          select place - 1 into at from jsonb_array_elements(models) with ordinality as known(model, place)
          where model -> 'id' = usage -> 'id' and model -> 'provider' = usage -> 'provider' order by place limit 1;
          if at is null then
            models := models || jsonb_build_array(usage);
          else
            models := jsonb_set(models, array[at::text], svc_add_model(models -> at, usage));
          end if;
        end loop;
        details := details || jsonb_build_object(role, models);
      end loop;
      return sums || jsonb_build_object('details', details);
    end $$`
  yield* sql`create aggregate svc_sum_usage (jsonb) (sfunc = svc_add_usage, stype = jsonb, initcond = '{}')`
  // What a run has used since it was last counted is its usage with the negated usage of before.
  yield* sql`
    create function svc_negate_usage(usage jsonb) returns jsonb
    language sql immutable parallel safe as $$
      select coalesce(jsonb_object_agg(key, case
        when jsonb_typeof(value) = 'number' then to_jsonb(-(value #>> '{}')::double precision)
        when key = 'details' then (
          select coalesce(jsonb_object_agg(role, (
            select jsonb_agg(svc_negate_usage(model)) from jsonb_array_elements(models) as m (model)
          )), '{}') from jsonb_each(value) as d (role, models)
        )
        else value end), '{}')
      from jsonb_each(usage)
    $$`

  // Usage by the hour, and the ends of runs that are not added to it yet. The limits of a day read both.
  yield* sql`
    create table svc_ended_runs (
      id bigint generated always as identity primary key,
      ended_at bigint not null,
      kind text not null,
      component_id text not null,
      user_id text,
      model text,
      model_provider text,
      status text not null,
      duration integer,
      time_to_first_token integer,
      usage jsonb
    )`
  yield* sql`
    create table svc_usage_hours (
      hour integer not null,
      kind text collate "C" not null,
      component_id text collate "C" not null,
      user_id text collate "C" not null,
      model_id text collate "C" not null,
      model_provider text collate "C" not null,
      completed double precision not null,
      failed double precision not null,
      cancelled double precision not null,
      input_tokens double precision not null,
      output_tokens double precision not null,
      total_tokens double precision not null,
      audio_input_tokens double precision not null,
      audio_output_tokens double precision not null,
      audio_total_tokens double precision not null,
      cache_read_tokens double precision not null,
      cache_write_tokens double precision not null,
      reasoning_tokens double precision not null,
      cost double precision not null,
      unpriced_tokens double precision not null,
      durations double precision[] not null,
      first_tokens double precision[] not null,
      primary key (hour, kind, component_id, user_id, model_id, model_provider)
    )`
  yield* sql`create index svc_usage_hours_by_user on svc_usage_hours (user_id, hour)`
  yield* sql`
    create function svc_add_counts(one double precision[], other double precision[]) returns double precision[]
    language sql immutable parallel safe as $$
      select coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) order by place), '{}')
      from unnest(one, other) with ordinality as pairs (a, b, place)
    $$`
  yield* sql`
    create aggregate svc_sum_counts (double precision[]) (
      sfunc = svc_add_counts, stype = double precision[], initcond = '{}'
    )`

  // Limits of the runs of users, of components and of the service. `svc_run_starts` has how many runs began since a moment
  // less than a minute ago. `svc_start_refusals` finds the runs that exceed a limit, among runs that would begin together.
  //
  // The limits of a run are a JSON object: `user_id`, `kind`, `component_id` and a list of `limits`, each with its `scope`,
  // the `key` of its starts, and `at_once`, `per_minute` and `per_day`. `most_waiting` and `most_waiting_of_user` are the
  // numbers of runs that may wait: the function returns a run that waits without a refusal. Runs that wait do not count as
  // unfinished, except for a run that would wait behind them.
  //
  // The function locks the keys until the end of the transaction, in one order, and looks after that: as it is volatile,
  // each of its statements sees what others have stored meanwhile. So what waits for the lock sees what began in the
  // transaction that had it.
  yield* sql`
    create table svc_run_starts (
      key text collate "C" primary key,
      since timestamptz not null,
      count integer not null
    )`
  yield* sql`create index svc_run_starts_since on svc_run_starts (since)`
  yield* sql`
    create function svc_start_refusals(starts json) returns table (place integer, refusal json)
    language plpgsql volatile as $$
    declare
      keys text[] := '{}';
      opened bigint[] := '{}';
      begun bigint[] := '{}';
      ends timestamptz[] := '{}';
      used double precision[] := '{}';
      waiting bigint[] := '{}';
      is_queueing boolean := exists (
        select from json_array_elements(starts) s where s->'start'->>'most_waiting' is not null
      );
      all_waiting bigint;
      of_user bigint;
      users text[] := '{}';
      ahead bigint;
      has_tokens_left boolean;
      moment timestamptz;
      today bigint;
      until_midnight integer;
      until_end integer;
      each record;
      item record;
      at integer;
      last_retry integer;
      is_waiting boolean;
    begin
      for each in
        select distinct hashtextextended(l->>'key', 5710232186) as hash from json_array_elements(starts) s
          cross join lateral json_array_elements(s->'start'->'limits') l order by 1
      loop
        perform pg_advisory_xact_lock(each.hash);
      end loop;
      moment := clock_timestamp();
      today := floor(extract(epoch from moment) / 86400);
      until_midnight := ceil((today + 1) * 86400 - extract(epoch from moment));
      for each in
        with items as materialized (
          select distinct on (l->>'key') l->>'key' as key, l->>'scope' as scope, s->'start'->>'user_id' as user_id,
            s->'start'->>'kind' as kind, s->'start'->>'component_id' as component_id,
            l->>'at_once' is not null as has_open, l->>'per_day' is not null as has_tokens
          from json_array_elements(starts) s cross join lateral json_array_elements(s->'start'->'limits') l
          order by l->>'key'
        ), open_runs as materialized (
          select r.user_id, r.kind, r.component_id, count(*) filter (where r.waits_for is null) as runs,
            count(*) filter (where r.waits_for is not null) as waiting
          from svc_runs r
          where (is_queueing or exists (select from items i where i.has_open))
            and r.is_unfinished and r.node >= '' and r.parent_run_id is null
          group by r.user_id, r.kind, r.component_id
        ), ended as materialized (
          select e.user_id, e.kind, e.component_id, sum(
            case when jsonb_typeof(e.usage->'total_tokens') = 'number'
              then (e.usage->>'total_tokens')::double precision end
          ) as tokens
          from svc_ended_runs e
          where exists (select from items i where i.has_tokens) and e.ended_at >= today * 86400
          group by e.user_id, e.kind, e.component_id
        ), hours as materialized (
          select h.kind, h.component_id, sum(h.total_tokens) as tokens from svc_usage_hours h
          where exists (select from items i where i.has_tokens and i.scope <> 'user') and h.hour >= today * 24
          group by h.kind, h.component_id
        )
        select i.key,
          case when i.has_open then (
            select coalesce(sum(o.runs), 0) from open_runs o where case i.scope
              when 'user' then o.user_id is not distinct from i.user_id
              when 'component' then o.kind = i.kind and o.component_id = i.component_id
              else true
            end
          ) else 0 end as runs,
          case when is_queueing then (
            select coalesce(sum(o.waiting), 0) from open_runs o where case i.scope
              when 'user' then o.user_id is not distinct from i.user_id
              when 'component' then o.kind = i.kind and o.component_id = i.component_id
              else true
            end
          ) else 0 end as waiting,
          case when i.has_tokens then (
            select coalesce(sum(e.tokens), 0) from ended e where case i.scope
              when 'user' then e.user_id is not distinct from i.user_id
              when 'component' then e.kind = i.kind and e.component_id = i.component_id
              else true
            end
          ) + case i.scope
            when 'user' then (
              select coalesce(sum(h.total_tokens), 0) from svc_usage_hours h
              where h.user_id = coalesce(i.user_id, '') and h.hour >= today * 24
            )
            else (
              select coalesce(sum(h.tokens), 0) from hours h
              where i.scope = 'service' or (h.kind = i.kind and h.component_id = i.component_id)
            )
          end else 0 end as tokens,
          coalesce(r.count, 0) as count, coalesce(r.since, moment) + interval '1 minute' as ends_at
        from items i left join svc_run_starts r on r.key = i.key and r.since > moment - interval '1 minute'
      loop
        keys := keys || each.key;
        opened := opened || each.runs::bigint;
        waiting := waiting || each.waiting::bigint;
        used := used || each.tokens;
        begun := begun || each.count::bigint;
        ends := ends || each.ends_at;
      end loop;
      if is_queueing then
        select count(*) into all_waiting from svc_runs r where r.waits_for is not null and r.is_unfinished;
      end if;
      for each in
        select (s->>'place')::integer as place, s->'start'->'limits' as limits,
          (s->'start'->>'most_waiting')::bigint as most_waiting,
          (s->'start'->>'most_waiting_of_user')::bigint as most_of_user, s->'start'->>'user_id' as user_id
        from json_array_elements(starts) s
      loop
        has_tokens_left := true;
        place := each.place;
        refusal := null;
        last_retry := 0;
        for item in
          select l.* from json_to_recordset(each.limits)
            as l (scope text, key text, at_once bigint, per_minute bigint, per_day double precision)
        loop
          at := array_position(keys, item.key);
          -- a run that may wait comes after the ones that wait already
          ahead := case when each.most_waiting is null then 0 else waiting[at] end;
          until_end := ceil(extract(epoch from ends[at] - moment));
          if opened[at] + ahead >= item.at_once and last_retry < 1 then
            last_retry := 1;
            refusal := json_build_object('scope', item.scope, 'name', 'runsAtOnce', 'used', opened[at],
              'limit', item.at_once, 'retry_after', last_retry);
          end if;
          if begun[at] + ahead >= item.per_minute and last_retry < until_end then
            last_retry := until_end;
            refusal := json_build_object('scope', item.scope, 'name', 'runsPerMinute', 'used', begun[at],
              'limit', item.per_minute, 'retry_after', last_retry);
          end if;
          if used[at] >= item.per_day then
            has_tokens_left := false;
          end if;
          if used[at] >= item.per_day and last_retry < until_midnight then
            last_retry := until_midnight;
            refusal := json_build_object('scope', item.scope, 'name', 'tokensPerDay', 'used', used[at],
              'limit', item.per_day, 'retry_after', last_retry);
          end if;
        end loop;
        is_waiting := has_tokens_left and coalesce(all_waiting < each.most_waiting, false);
        if refusal is not null and is_waiting and each.user_id is not null then
          select count(*) into of_user from svc_runs r
          where r.waits_for is not null and r.is_unfinished and r.user_id = each.user_id;
          of_user := of_user + cardinality(array_positions(users, each.user_id));
          is_waiting := coalesce(of_user < each.most_of_user, true);
        end if;
        if refusal is not null then
          -- without a refusal the run waits for room
          refusal := case when not is_waiting then refusal end;
          return next;
          continue when not is_waiting;
          all_waiting := all_waiting + 1;
          users := users || each.user_id;
        else
          is_waiting := false;
        end if;
        for item in select l->>'key' as key from json_array_elements(each.limits) l
        loop
          at := array_position(keys, item.key);
          if is_waiting then
            waiting[at] := waiting[at] + 1;
          else
            opened[at] := opened[at] + 1;
            begun[at] := begun[at] + 1;
          end if;
        end loop;
      end loop;
    end $$`

  // Whether agents may remember a user: a user without a row has not refused. `erased_run` is the last run that was stored
  // before the memory of the user was removed. It and the runs before it store no memories.
  yield* sql`
    create table svc_memory_settings (
      user_id text collate "C" primary key,
      is_enabled boolean not null,
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      erased_run bigint not null default 0
    )`
  // The users who have switched memory off, in the order in which they are copied to other databases.
  yield* sql`create index svc_memory_settings_off on svc_memory_settings (user_id) where not is_enabled`

  // The stored components. The engine reads them: a run starts only if the versions that it takes to be current are so, and
  // a node that has no such component in code can execute its runs.
  yield* sql`
    create table svc_components (
      component_id text collate "C" primary key,
      component_type text not null check (component_type in ('agent', 'team', 'workflow')),
      name text not null,
      description text,
      metadata json,
      current_version integer check (current_version between 1 and last_version),
      last_version integer not null check (last_version between 1 and 1000000000),
      revision integer not null check (revision between 1 and 2000000000),
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799),
      removed_at bigint check (removed_at between 0 and 253402300799)
    )`

  // The days of sessions that changed after their day. The set of metrics reads them, and drops the trigger: without metrics
  // none is kept.
  // A row for each change: rows that are shared would make the ends of runs wait for each other.
  yield* sql`
    create table svc_changed_days (
      seq bigint generated always as identity primary key,
      day integer not null
    )`
  yield* sql`create index svc_changed_days_by_day on svc_changed_days (day)`
  yield* sql`
    create function svc_keep_no_day() returns trigger language plpgsql as $$
    begin
      return null;
    end $$`
  yield* sql`
    create trigger svc_changed_days_unread before insert on svc_changed_days
    for each row execute function svc_keep_no_day()`

  // Features announce events to webhooks with this function. The set of webhooks replaces it: without webhooks nothing is
  // announced.
  yield* sql`
    create function svc_announce(
      announced text, source_kind text, source_id text, owner_id text, in_session text, happened json
    ) returns void language plpgsql as $$
    begin
    end $$`
})

// The runs of a session are a tree. The parent of a run is the root run that was accepted before it, unless `after_run` has
// the number of another one (0: it is the first run of its path). The leaf of a session is the newest root run, unless
// `leaf_run` has the number of another one (0: the path is empty). So a session without branches stores nothing for it, and
// `is_branched` says that there is something to look up.
const branches = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column after_run bigint`
  yield* sql`
    alter table svc_sessions
    add column leaf_run bigint, add column is_branched boolean not null default false`
  yield* sql`create index svc_runs_branches on svc_runs (session_id, seq) where after_run is not null`
  // The numbers of the runs on the path that ends with the run `last_run`, or with the newest one. A range has the runs
  // between two branches. It is read from the end: each step looks up where the range begins, in the index alone. The
  // ranges are joined once, because each join sorts all of them.
  yield* sql`
    create function svc_path(in_session text, last_run bigint) returns int8multirange language plpgsql stable as $$
    declare
      ranges int8range[] := '{}';
      upto bigint := last_run;
      branch record;
    begin
      loop
        select r.seq, r.after_run into branch from svc_runs r
        where r.session_id = in_session and r.after_run is not null and r.seq <= coalesce(upto, 9223372036854775807)
        order by r.seq desc limit 1;
        if not found then
          return int8multirange(variadic ranges || int8range(null, upto, '[]'));
        end if;
        ranges := ranges || int8range(branch.seq, upto, '[]');
        upto := branch.after_run;
      end loop;
    end $$`
})

// What a run has used, for the list of all runs: its output can be large. Runs that ended before have none.
const usage = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column usage jsonb, add column duration integer`
})

// Runs that wait are shown to later ones too.
const waiting = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index svc_runs_ended`
  yield* sql`drop index svc_runs_of_members`
  yield* sql`
    create index svc_runs_shown on svc_runs (session_id, seq)
    where status in ('COMPLETED', 'CANCELLED', 'ERROR', 'PAUSED') and parent_run_id is null`
  yield* sql`
    create index svc_runs_of_members on svc_runs (session_id, component_id, seq)
    where outermost_run_id is not null and status in ('COMPLETED', 'CANCELLED', 'ERROR', 'PAUSED')`
})

// The version of a stored component with which a run began. Its command, which names it as well, ends with the run.
const versions = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column component_version integer`
})

// The jobs of a caller that wait for another attempt are counted before more are accepted.
const delayedJobs = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create index svc_jobs_delayed_of_caller on svc_jobs (kind, caller)
    where status = 'PENDING' and not is_due and caller is not null`
})

// A run that belongs to the run before it, such as the result of a background task: who comes after that run comes after
// this one as well.
const additions = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column is_addition boolean`
  yield* sql`create index svc_runs_additions on svc_runs (session_id, seq) where is_addition`
})

export const engine = migrationSet("engine", [
  ["tables", tables],
  ["branches", branches],
  ["usage", usage],
  ["waiting", waiting],
  ["versions", versions],
  ["delayedJobs", delayedJobs],
  ["additions", additions]
])
