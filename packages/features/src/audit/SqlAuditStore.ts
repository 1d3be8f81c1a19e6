// `AuditStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list.
import type * as Owner from "@svc-runtime/domain/Owner"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AuditEntry from "./AuditEntry.ts"
import { AuditStore } from "./AuditStore.ts"

const columns = `a.seq::float8 as id, a.at::float8 as at, a.actor, a.credential, a.action, a.subject_kind, a.subject_id,
  a.path, a.request_id, a.status, a.counts`

const readable = ReadableRows.make(AuditEntry.AuditEntry, "audit_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const shown = sql.literal(columns)

  const matching = ({ since, until, ...texts }: AuditEntry.Filter, owner: Owner.Owner) =>
    sql`svc_audit a where ${
      sql.and([
        Ownership.covers(sql, "a.actor", owner),
        ...Object.entries(texts).flatMap(([name, value]) =>
          value === undefined ? [] : [sql`${sql.literal(`a.${name}`)} = ${text(value)}`]
        ),
        ...(since === undefined ? [] : [sql`a.at >= ${since}`]),
        ...(until === undefined ? [] : [sql`a.at <= ${until}`])
      ])
    }`

  return AuditStore.of({
    begin: Effect.fn("SqlAuditStore.begin")(function*(change, at) {
      const { action, actor, credential, path, request_id, subject_id, subject_kind } = change
      const [row] = yield* sql<{ readonly id: number }>`
        insert into svc_audit (at, actor, credential, action, subject_kind, subject_id, path, request_id)
        values (
          ${at}, ${textOrNull(actor)}, ${text(credential)}, ${text(action)}, ${text(subject_kind)}, ${text(subject_id)},
          ${text(path)}, ${textOrNull(request_id)}
        ) returning seq::float8 as id`
      return row?.id ?? 0
    }, orUnavailable),
    end: Effect.fn("SqlAuditStore.end")((id, { counts = null, status, subject_ids: [first = null, ...others] }) =>
      orUnavailable(Effect.asVoid(sql`
        with ended as (
          update svc_audit set status = ${status}, subject_id = coalesce(${textOrNull(first)}::text, subject_id),
            counts = coalesce(${counts === null ? null : json(counts)}::json, counts)
          where seq = ${id} returning *
        )
        insert into svc_audit (at, actor, credential, action, subject_kind, subject_id, path, request_id, status, counts)
        select e.at, e.actor, e.credential, e.action, e.subject_kind, o.value, e.path, e.request_id, e.status, e.counts
        from ended e cross join json_array_elements_text(${json(others)}::json) with ordinality as o (value, place)
        order by o.place`))
    ),
    list: Effect.fn("SqlAuditStore.list")(function*(filter, owner, page) {
      const from = matching(filter, owner)
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("a.at desc, a.seq desc"), page })
      return { entries: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    after: Effect.fn("SqlAuditStore.after")((id, filter, owner, limit) =>
      readOrUnavailable(Effect.flatMap(
        sql`select ${shown} from ${matching(filter, owner)} and a.seq > ${id} order by a.seq limit ${limit}`,
        readable
      ))
    )
  })
})

export const layer: Layer.Layer<AuditStore, never, SqlClient.SqlClient> = Layer.effect(AuditStore, make)
