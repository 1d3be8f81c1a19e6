// `UsageStore` in PostgreSQL.
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import * as UsageSums from "@svc-runtime/domain/UsageSums"
import { endsPerBatch, hoursOf, type UsageFilter, UsageStore } from "@svc-runtime/engine/run/store/UsageStore"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { inTransaction } from "./sql/inTransaction.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import * as Ownership from "./sql/Ownership.ts"
import * as ReadableRows from "./sql/ReadableRows.ts"
import { jsonb, text, unchecked } from "./sql/rows.ts"

/** The key of the advisory lock of changes. They lock rows in different orders, so that two at once could deadlock. */
const lock = 5_710_232_185

const readableEnds = ReadableRows.make(UsageHour.EndedRuns)

const PageRow = Schema.Struct({ figures: Schema.Array(UsageHour.Figures), total: Schema.Natural })

const sumNames = Object.keys(UsageHour.sums)
const histogramNames = Object.keys(UsageHour.histograms)
const keyNames = ["hour", "kind", "component_id", "user_id", "model_id", "model_provider"]

/** As `jsonb_to_recordset` reads them. */
const rowType = [
  "hour integer",
  ...keyNames.slice(1).map((name) => `${name} text`),
  ...sumNames.map((name) => `${name} double precision`),
  ...histogramNames.map((name) => `${name} double precision[]`)
].join(", ")

const additions = [
  ...sumNames.map((name) => `${name} = h.${name} + excluded.${name}`),
  ...histogramNames.map((name) => `${name} = svc_add_counts(h.${name}, excluded.${name})`)
].join(", ")

const totals = [
  ...sumNames.map((name) => `sum(${name}) as ${name}`),
  ...histogramNames.map((name) => `svc_sum_counts(${name}) as ${name}`)
].join(", ")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const names = sql.literal([...keyNames, ...sumNames, ...histogramNames].join(", "))

  const oneAtATime = sql`select pg_advisory_xact_lock(${lock}::bigint)::text as locked`

  /** In groups, which are few: the service has less to read than if each end were a row. */
  const takeEnds = sql<{ readonly runs: number }>`
    with taken as (
      delete from svc_ended_runs where id = any(array(
        select id from svc_ended_runs order by id limit ${endsPerBatch} for update skip locked
      ))
      returning (ended_at / ${UsageHour.secondsPerHour})::int as hour, kind, component_id,
        coalesce(user_id, '') as user_id, coalesce(model, '') as model_id,
        coalesce(model_provider, '') as model_provider, status, duration, time_to_first_token, usage
    )
    select hour, kind, component_id, user_id, model_id, model_provider, status, count(*)::int as runs,
      coalesce(json_agg(duration) filter (where duration is not null), '[]') as durations,
      coalesce(json_agg(time_to_first_token) filter (where time_to_first_token is not null), '[]') as first_tokens,
      json_agg(usage) as usages
    from taken group by hour, kind, component_id, user_id, model_id, model_provider, status`

  const add = (rows: ReadonlyArray<UsageHour.UsageHour>) =>
    sql`
      insert into svc_usage_hours as h (${names})
      select ${names} from jsonb_to_recordset(${jsonb(rows)}::jsonb) as r (${sql.literal(rowType)})
      order by ${sql.literal(keyNames.join(", "))}
      on conflict (${sql.literal(keyNames.join(", "))}) do update set ${sql.literal(additions)}`

  const unnamed = sql.literal(
    [...keyNames, ...sumNames, ...histogramNames].map((name) => name === "user_id" ? "''" : name).join(", ")
  )

  const forget = (user_id: string) =>
    sql`
      with gone as (delete from svc_usage_hours where user_id = ${text(user_id)} returning ${names})
      insert into svc_usage_hours as h (${names})
      select ${unnamed} from gone order by ${sql.literal(keyNames.join(", "))}
      on conflict (${sql.literal(keyNames.join(", "))}) do update set ${sql.literal(additions)}`

  const isWanted = ({ component, from, model_id, owner, to }: UsageFilter) =>
    sql.and([
      sql`hour >= ${from}::int and hour < ${to}::int`,
      Ownership.covers(sql, "user_id", owner),
      ...(component === undefined
        ? []
        : [sql`kind = ${component.kind}`, sql`component_id = ${text(component.id)}`]),
      ...(model_id === undefined ? [] : [sql`model_id = ${text(model_id)}`])
    ])

  const list = SqlSchema.findOne({
    Request: unchecked<{ readonly filter: UsageFilter; readonly page: Pagination.Request }>(),
    Result: PageRow,
    execute: ({ filter, page }) => {
      const hours = hoursOf(filter.interval)
      const keys = filter.group === undefined ? [] : UsageHour.groupKeys[filter.group]
      const grouped = sql.literal(["1", ...keys].join(", "))
      return sql`
        with grouped as (
          select ${sql.literal([`hour / ${hours} * ${hours} as hour`, ...keys].join(", "))}, ${sql.literal(totals)}
          from svc_usage_hours where ${isWanted(filter)} group by ${grouped}
        )
        select (select count(*)::int from grouped) as total, coalesce((
          select json_agg(p) from (
            select * from grouped order by ${grouped} limit ${page.limit} offset ${Pagination.offset(page)}
          ) p
        ), '[]') as figures`
    }
  })

  return UsageStore.of({
    rollUp: Effect.fn("SqlUsageStore.rollUp")(() =>
      orUnavailable(
        inTransaction(sql)(Effect.gen(function*() {
          yield* oneAtATime
          const taken = yield* takeEnds
          const sums = UsageSums.make()
          // a damaged group is logged, and the others are added
          for (const ended of yield* readableEnds(taken)) sums.addEnded(ended)
          const rows = sums.rows()
          if (rows.length > 0) yield* add(rows)
          return taken.reduce((total, { runs }) => total + runs, 0)
        }))
      )
    ),
    forget: Effect.fn("SqlUsageStore.forget")((user_id) =>
      orUnavailable(
        inTransaction(sql)(Effect.gen(function*() {
          yield* oneAtATime
          yield* sql`update svc_ended_runs set user_id = null where user_id = ${text(user_id)}`
          yield* forget(user_id)
        }))
      )
    ),
    list: Effect.fn("SqlUsageStore.list")((filter, page) => readOrUnavailable(list({ filter, page })))
  })
})

export const layer: Layer.Layer<UsageStore, never, SqlClient.SqlClient> = Layer.effect(UsageStore, make)
