// `MetricsStore` in PostgreSQL.
import type * as Owner from "@svc-runtime/domain/Owner"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { text, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as DayFigures from "./DayFigures.ts"
import * as DayMetrics from "./DayMetrics.ts"
import { type DayRefresh, MetricsStore } from "./MetricsStore.ts"

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
  const names = sql.literal(DayFigures.names)
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
      return sql`with ${DayFigures.of(sql, isWanted)} select * from figures order by day`
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
        ), ${DayFigures.of(sql, createdIn({ from: day, to: day }))}, stored as (
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
