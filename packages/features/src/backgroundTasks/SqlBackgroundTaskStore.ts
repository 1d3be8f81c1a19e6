// `BackgroundTaskStore` in PostgreSQL.
import * as Session from "@svc-runtime/domain/Session"
import * as JobStatements from "@svc-runtime/postgres/jobs/JobStatements"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as BackgroundTask from "./BackgroundTask.ts"
import { BackgroundTaskStore, type Cancelled, TooManyTasks } from "./BackgroundTaskStore.ts"

const columns = `t.id, t.key, t.session_id, t.user_id, t.parent_run_id, t.parent_kind, t.parent_id, t.tool_name,
  t.component_kind, t.component_id, t.run_id, t.run_session_id, t.result_run_id, t.input, t.inherited, t.wake,
  t.timeout_seconds, t.is_detached, t.status, t.is_cancel_requested, t.is_delivered, t.result,
  t.created_at::float8 as created_at, t.ended_at::float8 as ended_at`

const readable = ReadableRows.make(BackgroundTask.Stored, "task_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const jobs = JobStatements.make(sql)
  const shown = sql.literal(columns)
  const isPresent = sql.literal(Ownership.isPresent)

  const first = (rows: ReadonlyArray<object>) => Effect.map(readable(rows), ([task]) => Option.fromUndefinedOr(task))

  const insert = (task: BackgroundTask.New) =>
    sql`
      insert into svc_background_tasks as t (
        id, key, session_id, user_id, parent_run_id, parent_kind, parent_id, tool_name, component_kind, component_id,
        run_id, run_session_id, result_run_id, input, inherited, wake, timeout_seconds, is_detached, status, created_at
      ) values (
        ${text(task.id)}, ${text(task.key)}, ${text(task.session_id)}, ${textOrNull(task.user_id)},
        ${text(task.parent_run_id)}, ${task.parent_kind}, ${text(task.parent_id)}, ${text(task.tool_name)},
        ${task.component_kind}, ${text(task.component_id)}, ${text(task.run_id)}, ${text(task.run_session_id)},
        ${text(task.result_run_id)}, ${json(task.input)}::json, ${json(task.inherited)}::json, ${task.wake},
        ${task.timeout_seconds}::integer, ${task.is_detached}, 'PENDING', ${task.created_at}::bigint
      ) returning ${shown}`

  const begin = Effect.fnUntraced(function*(
    task: BackgroundTask.New,
    job: Parameters<typeof jobs.enqueue>[0],
    limit: number
  ) {
    // calls of one turn count each other
    const [session] = yield* sql`
      select 1 from svc_sessions s where s.session_id = ${text(task.session_id)} and ${isPresent} for no key update`
    if (session === undefined) return Option.none<BackgroundTask.Stored>()
    const known = yield* sql`select ${shown} from svc_background_tasks t where t.key = ${text(task.key)}`
    if (known.length > 0) return yield* first(known)
    const [counted] = yield* sql<{ readonly count: number }>`
      select count(*)::int as count from (
        select from svc_background_tasks t where t.session_id = ${text(task.session_id)} and t.ended_at is null
        limit ${limit}
      ) unfinished`
    if ((counted?.count ?? 0) >= limit) return yield* new TooManyTasks({ limit })
    const stored = yield* insert(task)
    yield* jobs.enqueue(job)
    return yield* first(stored)
  })

  const isCancelled = (of: Cancelled) => {
    if ("task_id" in of) return sql`t.id = ${text(of.task_id)} and t.session_id = ${text(of.session_id)}`
    return "user_id" in of
      ? sql`t.user_id = ${text(of.user_id)}`
      : sql`t.parent_run_id = ${text(of.parent_run_id)} and not t.is_detached`
  }

  return BackgroundTaskStore.of({
    begin: (task, job, limit) => orUnavailable(inTransaction(sql)(begin(task, job, limit))),
    find: Effect.fn("SqlBackgroundTaskStore.find")(function*(id) {
      return yield* first(
        yield* sql`
          select ${shown} from svc_background_tasks t join svc_sessions s on s.session_id = t.session_id
          where t.id = ${text(id)} and ${isPresent}`
      )
    }, readOrUnavailable),
    list: Effect.fn("SqlBackgroundTaskStore.list")(function*(session_id, owner, page) {
      const found = yield* sql`
        select 1 from svc_sessions s
        where s.session_id = ${text(Session.Id.make(session_id))} and ${Ownership.isVisible(sql, owner)}`
      if (found.length === 0) return Option.none()
      const from = sql`svc_background_tasks t where t.session_id = ${text(session_id)}`
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("t.seq desc"), page })
      return Option.some({ tasks: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) })
    }, readOrUnavailable),
    note: Effect.fn("SqlBackgroundTaskStore.note")((id, status) =>
      orUnavailable(Effect.asVoid(sql`
        update svc_background_tasks t set status = ${status}
        where t.id = ${text(id)} and t.ended_at is null and t.status <> ${status}`))
    ),
    finish: Effect.fn("SqlBackgroundTaskStore.finish")((id, { at, is_delivered, result, status }) =>
      orUnavailable(Effect.asVoid(sql`
        update svc_background_tasks t set status = ${status}, result = ${json(result)}::json,
          is_delivered = ${is_delivered}, ended_at = ${at}::bigint
        where t.id = ${text(id)} and t.ended_at is null`))
    ),
    requestCancel: Effect.fn("SqlBackgroundTaskStore.requestCancel")(function*(of) {
      return yield* readable(
        yield* sql`
          update svc_background_tasks t set is_cancel_requested = true
          where ${isCancelled(of)} and t.ended_at is null returning ${shown}`
      )
    }, orUnavailable)
  })
})

export const layer: Layer.Layer<BackgroundTaskStore, never, SqlClient.SqlClient> = Layer.effect(
  BackgroundTaskStore,
  make
)
