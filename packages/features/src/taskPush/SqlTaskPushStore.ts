// `TaskPushStore` in PostgreSQL. Every method is one statement, but a put locks the run first.
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import { text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlSecretRows from "../secrets/SqlSecretRows.ts"
import { maxPerRun, TaskPushesFull } from "./TaskPush.ts"
import { TaskPushStore } from "./TaskPushStore.ts"

const Row = Schema.Struct({
  run_id: Run.Id,
  id: Schema.String,
  session_id: Session.Id,
  version: Schema.Literals(["0.3", "1.0"]),
  url: Schema.String,
  token: Schema.NullOr(Schema.String),
  scheme: Schema.NullOr(Schema.String),
  credentials: Schema.NullOr(Schema.String),
  delivered: Schema.NullOr(Schema.String)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeRuns = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ session_id: Session.Id })))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    "p.run_id, p.id, p.session_id, p.version, p.url, p.token, p.scheme, p.credentials, p.delivered"
  )

  /** A run `r` with its session `s`, if the owner may see it. */
  const visibleRun = (run: Run.Id, owner: Owner.Owner) =>
    sql`svc_runs r join svc_sessions s on s.session_id = r.session_id
      where r.run_id = ${text(run)} and ${Ownership.isVisible(sql, owner)}`

  return TaskPushStore.of({
    ...SqlSecretRows.make(sql, {
      table: "svc_task_pushes",
      row: "'task-push:' || run_id || ':' || id",
      columns: ["token", "credentials"]
    }),
    put: Effect.fn("SqlTaskPushStore.put")(
      function*({ credentials, id, run_id, scheme, token, url, version }, owner, at) {
        // of puts at the same time, each sees the configs of those before it
        const runs = yield* sql`select r.session_id from ${visibleRun(run_id, owner)} for no key update of r`
        const [run] = yield* decodeRuns(runs)
        if (run === undefined) return Option.none()
        const rows = yield* sql`
          insert into svc_task_pushes as p (run_id, id, session_id, version, url, token, scheme, credentials, created_at)
          select ${text(run_id)}, ${text(id)}, ${text(run.session_id)}, ${text(version)}, ${text(url)},
            ${textOrNull(token)}::text, ${textOrNull(scheme)}::text, ${textOrNull(credentials)}::text, ${at}::bigint
          where (
            select count(*) from svc_task_pushes o where o.run_id = ${text(run_id)} and o.id <> ${text(id)}
          ) < ${maxPerRun}
          on conflict (run_id, id) do update set version = excluded.version, url = excluded.url, token = excluded.token,
            scheme = excluded.scheme, credentials = excluded.credentials, delivered = null
          returning ${columns}`
        const [stored] = yield* decode(rows)
        return stored === undefined ? yield* new TaskPushesFull() : Option.some(stored)
      },
      inTransaction(sql),
      orUnavailable
    ),
    list: Effect.fn("SqlTaskPushStore.list")(function*(run, owner) {
      const rows = yield* sql`
        select ${columns} from svc_task_pushes p
        where p.run_id = ${text(run)} and exists (select from ${visibleRun(run, owner)}) order by p.seq`
      return yield* decode(rows)
    }, readOrUnavailable),
    remove: Effect.fn("SqlTaskPushStore.remove")(function*(run, id, owner) {
      const rows = yield* sql`
        delete from svc_task_pushes p
        where p.run_id = ${text(run)} and p.id = ${text(id)} and exists (select from ${visibleRun(run, owner)})
        returning p.id`
      return rows.length > 0
    }, orUnavailable),
    delivered: Effect.fn("SqlTaskPushStore.delivered")(function*(called, change) {
      const { credentials, id, run_id, scheme, token, url, version } = called
      yield* sql`
        update svc_task_pushes set delivered = ${text(change)}
        where run_id = ${text(run_id)} and id = ${text(id)} and version = ${text(version)} and url = ${text(url)}
          and token is not distinct from ${textOrNull(token)}::text
          and scheme is not distinct from ${textOrNull(scheme)}::text
          and credentials is not distinct from ${textOrNull(credentials)}::text`
    }, orUnavailable)
  })
})

export const layer: Layer.Layer<TaskPushStore, never, SqlClient.SqlClient> = Layer.effect(TaskPushStore, make)
