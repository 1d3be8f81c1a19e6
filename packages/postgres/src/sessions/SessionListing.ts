// Lists sessions in pages of bounded size.
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Sort from "@svc-runtime/domain/Sort"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { isSortable, type SessionFilter, type SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import * as Page from "../sql/Page.ts"
import * as ReadableRows from "../sql/ReadableRows.ts"
import { sessionColumns, SessionRow, text, unchecked } from "../sql/rows.ts"
import * as SessionRows from "./SessionRows.ts"

const PageRow = Schema.Struct({
  ...SessionRow.fields,
  total: Schema.Natural,
  names: Schema.Finite,
  is_whole: Schema.Boolean
})

const readable = ReadableRows.make(PageRow)

/** The ids, times and counters of a session in a list, approximately. */
const rowBytes = 400

interface Listing {
  readonly filter: SessionFilter
  readonly page: Pagination.Request
  readonly sort: Sort.Sort
}

export const make = (sql: SqlClient.SqlClient, responseLimit: number): SessionStore["Service"]["list"] => {
  const columns = sql.literal(sessionColumns)
  const pages = Page.make(sql)

  /** As in the index, whose keys have a maximum length. */
  const nameKey = sql.literal(`left(s.session_name, 512) collate "C"`)

  const matches = (filter: SessionFilter) =>
    sql.and([
      Ownership.isVisible(sql, filter.owner),
      ...(filter.kind === undefined ? [] : [sql`s.session_type = ${filter.kind}`]),
      ...(filter.componentId === undefined
        ? []
        : [sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(filter.componentId)}`]),
      // Not LIKE: the search text has no wildcards. The index by name finds the sessions that have one, which are few.
      ...(filter.name === undefined
        ? []
        : [sql`${nameKey} is not null`, sql`strpos(lower(s.session_name), lower(${text(filter.name)})) > 0`])
    ])

  const matching = (filter: SessionFilter) => sql`svc_sessions s where ${matches(filter)}`

  const sorted = ({ by, order }: Sort.Sort) => {
    const bySequence = `s.seq ${order}`
    if (!isSortable(by)) return sql.literal(bySequence)
    return sql`${by === "session_name" ? nameKey : sql.literal(`s.${by}`)} ${sql.literal(`${order}, ${bySequence}`)}`
  }

  const findPage = ({ filter, page, sort }: Listing) =>
    sql<Pick<typeof PageRow.Type, "total" | "names" | "is_whole">>`
        with found as materialized (
          select ${columns} from ${matching(filter)} order by ${sorted(sort)} ${pages.limits(page)}
        ), placed as (
          select found.*, row_number() over () as place,
            ${
      sql.literal(String(rowBytes))
    } + coalesce(octet_length(session_name), 0) + coalesce(octet_length(derived_name), 0) as own,
            coalesce(octet_length(session_state::text), 0) + coalesce(octet_length(metadata::text), 0)
              + coalesce(octet_length(summary::text), 0) + coalesce(octet_length(component_data::text), 0) as large
          from found
        ), sized as (
          select placed.*, sum(own + large) over (order by place) <= ${responseLimit} as fits,
            sum(own) over () as names, sum(own + large) over () <= ${responseLimit} as is_whole
          from placed
        )
        select session_id, session_type, agent_id, team_id, workflow_id, user_id, session_name, derived_name,
          case when fits then session_state end as session_state, session_metrics,
          case when fits then component_data end as component_data, case when fits then metadata end as metadata,
          case when fits then summary end as summary, created_at, updated_at, names::float8 as names, is_whole,
          ${pages.total({ from: matching(filter), page })} as total
        from sized where names <= ${responseLimit} or place = 1 order by place`

  const findPageSize = SqlSchema.findOne({
    Request: unchecked<Listing>(),
    Result: Schema.Struct({ bytes: Schema.Finite }),
    execute: ({ filter, page, sort }) =>
      sql`
        select coalesce(sum(${sql.literal(String(rowBytes))} + coalesce(octet_length(session_state::text), 0)
          + coalesce(octet_length(metadata::text), 0) + coalesce(octet_length(summary::text), 0)
          + coalesce(octet_length(component_data::text), 0)), 0)::float8 as bytes
        from (
          select s.session_state, s.metadata, s.summary, s.component_data from svc_sessions s
          where ${matches(filter)} order by ${sorted(sort)} ${pages.limits(page)}
        ) found`
  })

  const admitPage = (listing: Listing) =>
    ReadLimiter.admit(Effect.map(findPageSize(listing), ({ bytes }) => ({ parsed: Math.min(bytes, responseLimit) })))

  return Effect.fn("SqlSessionStore.list")(
    function*(filter: SessionFilter, page: Pagination.Request, sort: Sort.Sort) {
      yield* admitPage({ filter, page, sort })
      const rows = yield* findPage({ filter, page, sort })
      const [first] = rows
      if (first !== undefined && first.names > responseLimit) {
        return yield* new ResponseTooLarge({ subject: "sessions", bytes: first.names, limit: responseLimit })
      }
      const total = yield* pages.totalOf(rows, { from: matching(filter), page })
      return {
        sessions: yield* Effect.forEach(yield* readable(rows), SessionRows.toSession),
        total,
        isWhole: first?.is_whole ?? true
      }
    },
    readOrUnavailable
  )
}
