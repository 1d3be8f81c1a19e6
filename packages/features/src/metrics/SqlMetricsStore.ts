// `MetricsStore` in PostgreSQL.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Owner from "@svc-runtime/domain/Owner"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import { isPresent } from "@svc-runtime/postgres/sql/Ownership"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { text, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import * as DayMetrics from "./DayMetrics.ts"
import { type DayRefresh, MetricsStore } from "./MetricsStore.ts"

// The figures of days as a statement over their sessions. The runs of each session are found by the index of sessions,
// because a join could read all runs.

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
const figureNames = Object.keys(DayMetrics.figures).join(", ")

/** With clauses that end with `figures`: a row for each day that has sessions. */
const of = (sql: SqlClient.SqlClient, isWanted: Statement.Fragment) =>
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

/** The key of the advisory lock of a refresh. Of two at the same time, the last to store is the last to compute. */
const lock = 5_710_232_152

const FiguresRow = Schema.Struct({ day: DayMetrics.Day, ...DayMetrics.figures })
const DayRow = Schema.Struct({ day: DayMetrics.Day })
const UpdatedRow = Schema.Struct({ updated_at: Schema.NullOr(Schema.Int) })

const readableDays = ReadableRows.make(DayMetrics.DayMetrics, "day_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const counts = Object.keys(DayMetrics.figures).filter((name) => name.endsWith("_count"))
  const columns = sql.literal(
    `id, day, ${counts.map((name) => `${name}::float8 as ${name}`).join(", ")}, token_metrics, model_metrics,
      created_at::float8 as created_at, updated_at::float8 as updated_at`
  )
  const names = sql.literal(figureNames)
  const values = sql.literal(Object.keys(DayMetrics.figures).map((name) => `${name} = excluded.${name}`).join(", "))

  const inRange = ({ from, to }: DayMetrics.Range) =>
    sql.and([
      sql`true`,
      ...(from === undefined ? [] : [sql`day >= ${from}::int`]),
      ...(to === undefined ? [] : [sql`day <= ${to}::int`])
    ])

  const createdIn = ({ from, to }: DayMetrics.Range) =>
    sql.and([
      sql`true`,
      ...(from === undefined ? [] : [sql`s.created_at >= ${DayMetrics.startOf(from)}::bigint`]),
      ...(to === undefined ? [] : [sql`s.created_at < ${DayMetrics.startOf(to + 1)}::bigint`])
    ])

  const latest = SqlSchema.findOne({
    Request: unchecked<void>(),
    Result: UpdatedRow,
    execute: () => sql`select max(updated_at)::float8 as updated_at from svc_day_metrics`
  })

  const computed = SqlSchema.findAll({
    Request: unchecked<{ readonly owner: Owner.Owner; readonly range: DayMetrics.Range }>(),
    Result: FiguresRow,
    execute: ({ owner, range }) => {
      const isWanted = sql.and([Ownership.coversIn(sql, "s", owner), createdIn(range)])
      return sql`with ${of(sql, isWanted)} select * from figures order by day`
    }
  })

  // the days that have sessions are found by skipping through the index of their times
  const outdated = SqlSchema.findAll({
    Request: unchecked<DayMetrics.Day>(),
    Result: DayRow,
    execute: (today) =>
      sql`
        with recursive newest as (
          select case when day < updated_at / 86400 then day + 1 else day end as day
          from svc_day_metrics order by svc_day_metrics.day desc limit 1
        ), start as (
          select coalesce((select day from newest), 0)::bigint * 86400 as first_second
        ), found (day) as (
          (
            select s.created_at / 86400 from svc_sessions s
            where s.created_at >= (select first_second from start) order by s.created_at limit 1
          )
          union all
          select (
            select s.created_at / 86400 from svc_sessions s
            where s.created_at >= (found.day + 1) * 86400 order by s.created_at limit 1
          ) from found where found.day is not null
        )
        select day::int as day from (
          select day from found where day is not null union select day from svc_changed_days
        ) outdated where day <= ${today}::int order by 1`
  })

  // The notes that it removes and what it computes are of one snapshot: a later change has a note that stays.
  const refresh = SqlSchema.findAll({
    Request: unchecked<DayRefresh>(),
    Result: DayMetrics.DayMetrics,
    execute: ({ at, day, id }) =>
      sql`
        with noted as (
          delete from svc_changed_days where day = ${day}::int
        ), ${of(sql, createdIn({ from: day, to: day }))}, stored as (
          insert into svc_day_metrics (id, day, ${names}, created_at, updated_at)
          select ${text(id)}, day, ${names}, ${at}::bigint, ${at}::bigint from figures
          on conflict (day) do update set ${values}, updated_at = excluded.updated_at
          returning *
        ), gone as (
          delete from svc_day_metrics where day = ${day}::int and not exists (select from figures)
        )
        select ${columns} from stored`
  })

  return MetricsStore.of({
    list: Effect.fn("SqlMetricsStore.list")(function*(range) {
      const rows = yield* sql<object>`select ${columns} from svc_day_metrics where ${inRange(range)} order by day`
      const days = yield* readableDays(rows)
      return { days, updated_at: rows.length === 0 ? null : (yield* latest(undefined)).updated_at }
    }, readOrUnavailable),
    compute: Effect.fn("SqlMetricsStore.compute")((owner, range) => readOrUnavailable(computed({ owner, range }))),
    outdated: Effect.fn("SqlMetricsStore.outdated")((today) =>
      readOrUnavailable(Effect.map(outdated(today), (rows) => rows.map(({ day }) => day)))
    ),
    refresh: Effect.fn("SqlMetricsStore.refresh")((day) =>
      orUnavailable(
        inTransaction(sql)(Effect.gen(function*() {
          yield* sql`select pg_advisory_xact_lock(${lock}::bigint)`
          const [stored] = yield* refresh(day)
          return stored === undefined ? Option.none() : Option.some(stored)
        }))
      )
    )
  })
})

export const layer: Layer.Layer<MetricsStore, never, SqlClient.SqlClient> = Layer.effect(MetricsStore, make)
