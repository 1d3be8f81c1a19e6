// The figures of days as a statement over their sessions. The runs of each session are found by the index of sessions,
// because a join could read all runs.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { isPresent } from "@svc-runtime/postgres/sql/Ownership"
import type { SqlClient, Statement } from "effect/sql"
import * as DayMetrics from "./DayMetrics.ts"

/** In double precision every integer up to here is exact. */
const largest = Number.MAX_SAFE_INTEGER

const kinds = ComponentKind.ComponentKind.literals

const sessionCounts = kinds.map((kind) =>
  `(count(*) filter (where session_type = '${kind}'))::int as ${kind}_sessions_count`
)
const runCounts = kinds.map((kind) =>
  `coalesce(sum(count) filter (where session_type = '${kind}'), 0)::int as ${kind}_runs_count`
)
const counters = Object.keys(DayMetrics.Tokens.fields)
const tokens = counters.map((counter) =>
  `'${counter}', least(${largest}, sum(svc_counter(session_metrics, '${counter}')))`
)

/** The names of the figures, in the order of a table. */
export const names = Object.keys(DayMetrics.figures).join(", ")

/** With clauses that end with `figures`: a row for each day that has sessions. */
export const of = (sql: SqlClient.SqlClient, isWanted: Statement.Fragment) =>
  sql`
    found as materialized (
      select s.created_at / 86400 as day, s.session_id, s.session_type, s.user_id, s.session_metrics
      from svc_sessions s
      where ${isWanted} and ${sql.literal(isPresent)} and not s.is_evaluation
    ), run_groups as materialized (
      select f.day, f.session_type, r.model, r.model_provider, sum(r.count)::int as count
      from found f cross join lateral (
        select model, coalesce(model_provider, '') as model_provider, count(*) as count
        from svc_runs r where r.session_id = f.session_id group by 1, 2 offset 0
      ) r group by 1, 2, 3, 4
    ), model_groups as (
      select day, json_agg(
        json_build_object('model_id', model, 'model_provider', model_provider, 'count', count)
        order by count desc, model collate "C", model_provider collate "C"
      ) as model_metrics
      from (
        select day, model, model_provider, sum(count)::int as count from run_groups where model is not null
        group by 1, 2, 3
      ) m group by day
    ), run_sums as (
      select day, ${sql.literal(runCounts.join(", "))} from run_groups group by day
    ), session_sums as (
      select day, ${sql.literal(sessionCounts.join(", "))},
        count(distinct user_id) filter (where user_id <> '')::int as users_count,
        json_build_object(${sql.literal(tokens.join(", "))}) as token_metrics
      from found group by day
    ), figures as (
      select s.day::int as day, ${
    sql.literal(kinds.map((kind) => `coalesce(r.${kind}_runs_count, 0) as ${kind}_runs_count`).join(", "))
  },
        ${sql.literal(kinds.map((kind) => `s.${kind}_sessions_count`).join(", "))}, s.users_count, s.token_metrics,
        coalesce(m.model_metrics, '[]') as model_metrics
      from session_sums s left join run_sums r on r.day = s.day left join model_groups m on m.day = s.day
    )`
