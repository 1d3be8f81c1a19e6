// Budgets, what has been spent of each in its periods, and what is reserved for requests that are not answered yet.
// Amounts are billionths of the currency of the budget.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_budgets (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      name text collate "C" not null unique,
      scope text collate "C" not null check (scope in ('run', 'user', 'component', 'service')),
      period text collate "C" check (period in ('day', 'month')),
      amount bigint not null check (amount > 0),
      currency text collate "C" not null,
      user_id text collate "C",
      kind text collate "C" check (kind in ('agent', 'team', 'workflow')),
      component_id text collate "C",
      warn_at integer check (warn_at between 1 and 99),
      unpriced json not null,
      enabled boolean not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799),
      check ((period is null) = (scope = 'run'))
    )`
  // 'since' is the begin of the period in epoch seconds, and 0 for runs.
  yield* sql`
    create table svc_budget_spending (
      budget_id text collate "C" not null references svc_budgets (id) on delete cascade,
      key text collate "C" not null,
      since bigint not null,
      spent bigint not null default 0 check (spent >= 0),
      reserved bigint not null default 0 check (reserved >= 0),
      is_warned boolean not null default false,
      is_exhausted boolean not null default false,
      created_at bigint not null,
      primary key (budget_id, key, since)
    )`
  // no index has a column that each request changes
  yield* sql`create index svc_budget_spending_by_period on svc_budget_spending (budget_id, since)`
  yield* sql`create index svc_budget_spending_exhausted on svc_budget_spending (budget_id, since) where is_exhausted`
  yield* sql`create index svc_budget_spending_old on svc_budget_spending (created_at)`
  // 'targets' has for each budget what was reserved, and what the request was expected to cost, which can be more.
  yield* sql`
    create table svc_budget_reservations (
      id text collate "C" primary key,
      payer text collate "C" not null,
      attempt bigint not null,
      targets json not null,
      created_at bigint not null
    )`
  yield* sql`create index svc_budget_reservations_by_payer on svc_budget_reservations (payer)`
  yield* sql`create index svc_budget_reservations_old on svc_budget_reservations (created_at)`

  // By the clock of the database, so that nodes whose clocks differ count in the same period.
  yield* sql`
    create function svc_budget_since(period text) returns bigint language sql stable as $$
      select case when period is null then 0
        else extract(epoch from date_trunc(period, clock_timestamp() at time zone 'UTC'))::bigint end
    $$`

  // Reserves for all budgets or for none. The rows are locked in one order, and read after that. A budget that was
  // removed or disabled meanwhile does not count.
  yield* sql`
    create function svc_budget_reserve(wanted json) returns json language plpgsql volatile as $$
    declare
      item record;
      counted record;
      moment bigint := extract(epoch from clock_timestamp())::bigint;
      is_busy boolean := false;
      taken jsonb := '[]';
    begin
      if exists (select from svc_budget_reservations r where r.id = wanted->>'id') then
        return json_build_object('outcome', 'reserved');
      end if;
      for item in
        select b.id, b.amount as most, t.key, t.amount, svc_budget_since(b.period) as since
        from json_to_recordset(wanted->'targets') as t (budget_id text, key text, amount bigint)
          join svc_budgets b on b.id = t.budget_id
        where b.enabled order by b.id, t.key
      loop
        insert into svc_budget_spending as s (budget_id, key, since, created_at)
        values (item.id, item.key, item.since, moment)
        on conflict (budget_id, key, since) do update set reserved = s.reserved
        returning s.spent, s.reserved into counted;
        if counted.spent >= item.most then
          return json_build_object('outcome', 'refused', 'usedUp', json_build_object('budget_id', item.id, 'key', item.key,
            'since', item.since, 'spent', counted.spent, 'reserved', counted.reserved));
        end if;
        -- a request that may cost more than what is left begins alone
        is_busy := is_busy or (counted.reserved > 0 and counted.spent + counted.reserved + item.amount > item.most);
        taken := taken || jsonb_build_object('budget_id', item.id, 'key', item.key, 'since', item.since,
          'amount', least(item.amount, item.most - counted.spent), 'expected', item.amount);
      end loop;
      if is_busy then
        return json_build_object('outcome', 'busy');
      end if;
      update svc_budget_spending s set reserved = s.reserved + t.amount
      from jsonb_to_recordset(taken) as t (budget_id text, key text, since bigint, amount bigint)
      where s.budget_id = t.budget_id and s.key = t.key and s.since = t.since;
      insert into svc_budget_reservations (id, payer, attempt, targets, created_at)
      values (wanted->>'id', wanted->>'payer', (wanted->>'attempt')::bigint, taken::json, moment);
      return json_build_object('outcome', 'reserved');
    end $$`

  // Charges reservations. Each is removed in the transaction that charges it, so it is charged once. Returns the budgets
  // that have reached a mark by it, which webhooks can want.
  yield* sql`
    create function svc_budget_settle(settlements json) returns json language plpgsql volatile as $$
    declare
      item record;
      counted record;
      marks text[];
      mark text;
      reached jsonb := '[]';
    begin
      for item in
        with charged as (
          delete from svc_budget_reservations r
          using json_to_recordset(settlements) as s (id text, amounts json)
          where r.id = s.id returning r.targets, s.amounts
        )
        select t.budget_id, t.key, t.since, sum(t.amount)::bigint as reserved,
          sum(coalesce((c.amounts->>t.budget_id)::bigint, t.expected))::bigint as spent
        from charged c cross join lateral json_to_recordset(c.targets)
          as t (budget_id text, key text, since bigint, amount bigint, expected bigint)
        group by t.budget_id, t.key, t.since order by t.budget_id, t.key, t.since
      loop
        update svc_budget_spending s
        set spent = least(s.spent + item.spent, 4000000000000000000), reserved = greatest(s.reserved - item.reserved, 0)
        where s.budget_id = item.budget_id and s.key = item.key and s.since = item.since
        returning s.spent, s.reserved, s.is_warned, s.is_exhausted into counted;
        continue when not found;
        marks := '{}';
        for mark in
          select m.mark from svc_budgets b cross join lateral (values
            ('warned', not counted.is_warned and counted.spent >= b.amount::numeric * b.warn_at / 100),
            ('exhausted', not counted.is_exhausted and counted.spent >= b.amount)
          ) as m (mark, is_reached)
          where b.id = item.budget_id and m.is_reached
        loop
          marks := marks || mark;
          reached := reached || jsonb_build_object('mark', mark, 'budget_id', item.budget_id, 'key', item.key,
            'since', item.since, 'spent', counted.spent, 'reserved', counted.reserved);
          perform svc_announce(
            'budget.' || mark, case b.scope when 'component' then split_part(item.key, ' ', 1) end,
            case b.scope when 'component' then substr(item.key, strpos(item.key, ' ') + 1) end,
            case when b.scope = 'user' and item.key <> '' then item.key end, null,
            json_build_object(
              'budget_id', b.id, 'name', b.name, 'scope', b.scope, 'period', b.period,
              'key', nullif(item.key, ''), 'currency', b.currency, 'amount', b.amount::float8 / 1000000000,
              'spent', counted.spent::float8 / 1000000000
            )
          )
          from svc_budgets b where b.id = item.budget_id;
        end loop;
        if cardinality(marks) > 0 then
          update svc_budget_spending s
          set is_warned = s.is_warned or 'warned' = any(marks), is_exhausted = s.is_exhausted or 'exhausted' = any(marks)
          where s.budget_id = item.budget_id and s.key = item.key and s.since = item.since;
        end if;
      end loop;
      return reached::json;
    end $$`
})

/** Budgets of tenants. */
const tenants = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_budgets drop constraint svc_budgets_scope_check`
  yield* sql`
    alter table svc_budgets add constraint svc_budgets_scope_check
      check (scope in ('run', 'user', 'tenant', 'component', 'service'))`
})

export const budgets = migrationSet("budgets", [["tables", tables], ["tenants", tenants]])
