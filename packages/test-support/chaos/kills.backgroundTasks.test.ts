import { assert, describe, it } from "@effect/vitest"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Kills from "./Kills.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"
import * as Tasks from "./Tasks.ts"

/** In the order of a task: it is called, its run starts, ends, and joins the session. */
const points = [
  "find.after.2",
  "finish.before.1",
  "begin.after.1",
  "note.before.1",
  "begin.before.1",
  "begin.during.1",
  "find.after.1",
  "note.during.1",
  "note.after.1",
  "finish.during.1",
  "finish.after.1"
]

const world = Effect.gen(function*() {
  const url = yield* PostgresLayer.url
  const started = yield* Kills.world(Subjects.agent, {
    DATABASE_URL: Redacted.value(url),
    NODE_TIMEOUT: "5 seconds"
  })
  const database = Layer.merge(Postgres.layer({ url, maxConnections: 1 }), StoreLimits.layerWith())
  const stores = yield* Layer.build(SqlStores.layer.pipe(Layer.provideMerge(database)))
  return { ...started, sql: Context.get(stores, SqlClient.SqlClient) }
})

const begin = (url: string, session_id: string) =>
  // it may die before it answers
  Effect.promise(() =>
    fetch(`${url}/teams/dispatch/runs`, {
      method: "POST",
      body: new URLSearchParams({
        message: Tasks.tell("Send", session_id),
        session_id,
        stream: "false",
        background: "true"
      })
    }).then((response) => response.text(), () => "")
  )

interface Row {
  readonly status: string
  readonly is_delivered: boolean
  readonly run_id: string
  readonly result_run_id: string
  readonly run_session_id: string
}

const outcome = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, session_id: string) {
  const settled = Effect.map(
    sql<{ readonly ended: boolean }>`
      select count(*) = 1 and bool_and(ended_at is not null) and not exists (
        select from svc_runs r where r.session_id = ${session_id} and r.status in ('PENDING', 'RUNNING')
      ) as ended from svc_background_tasks where session_id = ${session_id}`,
    ([row]) => row?.ended === true
  )
  yield* Effect.repeat(Effect.andThen(Effect.sleep("100 millis"), settled), { until: (holds) => holds })
  const [task] = yield* sql<Row>`select * from svc_background_tasks where session_id = ${session_id}`
  const runs = yield* sql<{ readonly run_id: string; readonly status: string }>`
    select run_id, status from svc_runs where session_id = ${session_id} and parent_run_id is null order by seq`
  const inner = yield* sql<{ readonly run_id: string; readonly status: string }>`
    select run_id, status from svc_runs where session_id = ${task!.run_session_id}`
  return { task: task!, runs, inner }
})

/** The task was executed once, and its result is in the session once. */
const checkOnce = ({ inner, runs, task }: Effect.Success<ReturnType<typeof outcome>>, point: string) => {
  assert.deepInclude(task, { status: "COMPLETED", is_delivered: true }, point)
  assert.deepStrictEqual(inner, [{ run_id: task.run_id, status: "COMPLETED" }], point)
  assert.deepStrictEqual(runs.map(({ status }) => status), ["COMPLETED", "COMPLETED"], point)
  assert.strictEqual(runs[1]?.run_id, task.result_run_id, point)
}

describe("a service on PostgreSQL that is killed at every point of a background task", () => {
  it.live("each task is executed once, and its result joins the session once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { signs, sql, start, startPassing } = yield* world
      let service = yield* start
      for (const point of Tier.some(points, 2)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const session = Points.runIdOf([1, point])
            yield* begin(service.url, session)
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            service = yield* startPassing(session)
            checkOnce(yield* outcome(sql, session), point)
          })
        )
      }
    })))

  it.live("another node continues the task of a node that was killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { signs, sql, startWith } = yield* world
      for (const point of Tier.some(["find.after.2", "note.before.1", "finish.before.1"], 1)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const session = Points.runIdOf([1, point])
            const first = yield* startWith({ NODE_NAME: `first-${point}` })
            yield* begin(first.url, session)
            const second = yield* startWith({ NODE_NAME: `second-${point}`, PASSES_POINTS_OF: session })
            checkOnce(yield* outcome(sql, session), point)
            yield* first.end("SIGKILL")
            yield* second.end("SIGKILL")
          })
        )
      }
    })))
})
