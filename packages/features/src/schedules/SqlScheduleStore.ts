// `ScheduleStore` in PostgreSQL.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Time from "@svc-runtime/domain/Time"
import * as Share from "@svc-runtime/engine/limits/Share"
import * as Counted from "@svc-runtime/postgres/sql/Counted"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { jsonOrNull, text, textOrNull, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import * as Schedule from "./Schedule.ts"
import { asLast, endOfAuthor, isLast, runColumns, scheduleColumns } from "./scheduleColumns.ts"
import { ScheduleNameTaken, ScheduleStore } from "./ScheduleStore.ts"

const readable = ReadableRows.make(Schedule.Schedule, "schedule_id")
const readableRuns = ReadableRows.make(Schedule.Run, "schedule_run_id")

interface RunKey {
  readonly id: Schedule.Id
  readonly run: Schedule.RunId
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const counted = Counted.make(sql)
  const pages = Page.make(sql)
  const shown = sql.literal(scheduleColumns)
  const shownRun = sql.literal(runColumns)

  const find = SqlSchema.findOneOption({
    Request: unchecked<Schedule.Id>(),
    Result: Schedule.Schedule,
    execute: (id) => sql`select ${shown} from svc_schedules s where s.id = ${text(id)}`
  })

  const findForUpdate = SqlSchema.findOneOption({
    Request: unchecked<Schedule.Id>(),
    Result: Schedule.Schedule,
    execute: (id) => sql`select ${shown} from svc_schedules s where s.id = ${text(id)} for update`
  })

  const findRun = SqlSchema.findOneOption({
    Request: unchecked<RunKey>(),
    Result: Schedule.Run,
    execute: ({ id, run }) =>
      sql`select ${shownRun} from svc_schedule_runs r where r.id = ${text(run)} and r.schedule_id = ${text(id)}`
  })

  const time = SqlSchema.findOne({
    Request: Schema.Undefined,
    Result: Schema.Struct({ seconds: Time.EpochSeconds }),
    execute: () => sql`select floor(extract(epoch from clock_timestamp()))::float8 as seconds`
  })

  const insert = (schedule: Schedule.Schedule, user_id: Ids.UserId | undefined) =>
    sql`
      insert into svc_schedules (
        id, name, description, method, endpoint, payload, cron_expr, timezone, timeout_seconds, max_retries,
        retry_delay_seconds, catch_up, catch_up_window_seconds, overlap, jitter_seconds, enabled,
        consecutive_failures, paused_reason, next_run_at, created_at, updated_at, user_id, author
      ) values (
        ${text(schedule.id)}, ${text(schedule.name)}, ${textOrNull(schedule.description)}, ${text(schedule.method)},
        ${text(schedule.endpoint)}, ${jsonOrNull(schedule.payload)}::json, ${text(schedule.cron_expr)},
        ${text(schedule.timezone)}, ${schedule.timeout_seconds}, ${schedule.max_retries},
        ${schedule.retry_delay_seconds}, ${schedule.catch_up}, ${schedule.catch_up_window_seconds},
        ${schedule.overlap}, ${schedule.jitter_seconds}, ${schedule.enabled}, ${schedule.consecutive_failures},
        ${
      textOrNull(schedule.paused_reason)
    }, ${schedule.next_run_at}::bigint, ${schedule.created_at}::bigint, ${schedule.updated_at}::bigint,
        ${textOrNull(user_id ?? null)}, ${textOrNull(schedule.author)}
      )`

  const update = (schedule: Schedule.Schedule) =>
    sql`
      update svc_schedules set
        name = ${text(schedule.name)}, description = ${textOrNull(schedule.description)},
        method = ${text(schedule.method)}, endpoint = ${text(schedule.endpoint)},
        payload = ${jsonOrNull(schedule.payload)}::json, cron_expr = ${text(schedule.cron_expr)},
        timezone = ${text(schedule.timezone)}, timeout_seconds = ${schedule.timeout_seconds},
        max_retries = ${schedule.max_retries}, retry_delay_seconds = ${schedule.retry_delay_seconds},
        catch_up = ${schedule.catch_up}, catch_up_window_seconds = ${schedule.catch_up_window_seconds},
        overlap = ${schedule.overlap}, jitter_seconds = ${schedule.jitter_seconds}, enabled = ${schedule.enabled},
        consecutive_failures = ${schedule.consecutive_failures},
        paused_reason = ${textOrNull(schedule.paused_reason)}, next_run_at = ${schedule.next_run_at}::bigint,
        updated_at = ${schedule.updated_at}::bigint, author = ${textOrNull(schedule.author)}
      where id = ${text(schedule.id)}`

  /** The triggered runs that have not begun. Their jobs find nothing to begin. */
  const cancelWaiting = (id: Schedule.Id) =>
    sql`
      update svc_schedule_runs set
        status = 'cancelled', completed_at = floor(extract(epoch from now()))::bigint, error = ${Schedule.redirected}
      where schedule_id = ${text(id)} and status = 'running' and slot is null and triggered_at is null`

  const orTaken = ({ name }: Schedule.Schedule) => <A>(effect: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.catchReason(
      effect,
      "SqlError",
      "UniqueViolation",
      () => Effect.fail(new ScheduleNameTaken({ name }))
    )

  return ScheduleStore.of({
    now: orUnavailable(Effect.map(time(undefined), ({ seconds }) => seconds)),
    create: Effect.fn("SqlScheduleStore.create")((schedule, most, user_id) =>
      orUnavailable(
        counted(
          { table: "svc_schedules", user_id, room: Share.roomOf(most) },
          orTaken(schedule)(insert(schedule, user_id))
        )
      )
    ),
    find: Effect.fn("SqlScheduleStore.find")((id) => readOne(find(id), { kind: "schedule", id })),
    list: Effect.fn("SqlScheduleStore.list")(function*({ enabled }, page) {
      const from = enabled === undefined ? sql`svc_schedules s` : sql`svc_schedules s where s.enabled = ${enabled}`
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("s.seq desc"), page })
      return { schedules: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    change: Effect.fn("SqlScheduleStore.change")((id, change) =>
      changeOne(sql)(
        Effect.gen(function*() {
          const found = yield* findForUpdate(id)
          if (Option.isNone(found)) return Option.none()
          const changed = yield* change(found.value)
          yield* orTaken(changed)(update(changed))
          if (Schedule.isRedirected(found.value, changed)) yield* cancelWaiting(changed.id)
          return Option.some(changed)
        }),
        { kind: "schedule", id }
      )
    ),
    disableAll: Effect.fn("SqlScheduleStore.disableAll")((author, { at, reason }) =>
      orUnavailable(
        Effect.map(
          sql<{ readonly disabled: number }>`
            with disabled as (
              update svc_schedules s set enabled = false, paused_reason = ${text(reason)}, updated_at = ${at}
              where s.author = ${text(author)} and s.enabled returning 1
            ), cancelled as (
              update svc_schedule_runs r set
                status = case when r.triggered_at is null then 'cancelled' else r.status end,
                completed_at = case when r.triggered_at is null then ${at}::bigint end,
                error = case when r.triggered_at is null then ${text(reason)} end,
                begun = case when r.triggered_at is not null then ${sql.literal(asLast)} end
              from svc_schedules s cross join (
                select a.author, ${sql.literal(endOfAuthor("a.author"))} as ending
                from (select ${text(author)}::text as author) a
              ) a
              where s.id = r.schedule_id and r.status = 'running' and not ${sql.literal(isLast("r"))}
                and (coalesce(r.author, s.author) = a.author or right(r.begun::text, length(a.ending)) = a.ending)
            )
            select count(*)::int as disabled from disabled`,
          ([row]) => row?.disabled ?? 0
        )
      )
    ),
    remove: Effect.fn("SqlScheduleStore.remove")((id) =>
      orUnavailable(
        Effect.map(sql`delete from svc_schedules where id = ${text(id)} returning 1`, ({ length }) => length > 0)
      )
    ),
    runs: Effect.fn("SqlScheduleStore.runs")(function*(id, page) {
      const from = sql`svc_schedule_runs r where r.schedule_id = ${text(id)}`
      const rows = yield* pages.select({ columns: shownRun, from, order: sql.literal("r.seq desc"), page })
      return { runs: yield* readableRuns(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    findRun: Effect.fn("SqlScheduleStore.findRun")((id, run) =>
      readOne(findRun({ id, run }), { kind: "schedule run", id: run })
    )
  })
})

export const layer: Layer.Layer<ScheduleStore, never, SqlClient.SqlClient> = Layer.effect(ScheduleStore, make)
