// Finds runs of a component by one statement, which reads as many of them as it returns, and counts up to a limit. A
// page behind the last run needs another one for the total.
import * as Json from "@svc/domain/Json"
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import { type FoundRuns, maxCounted, type RunSearch } from "@svc/runtime/run/RunReads"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { readOrUnavailable } from "./orUnavailable.ts"
import * as Ownership from "./ownership.ts"
import { text, texts, unchecked } from "./rows.ts"

const FoundRow = Schema.Struct({
  run_id: Run.Id,
  session_id: Session.Id,
  status: Run.Status,
  metadata: Schema.NullOr(Json.Object),
  updated_at: Schema.Finite,
  position: Schema.Finite,
  total: Schema.Natural
})

export const make = (sql: SqlClient.SqlClient) => {
  const lastErrorType = sql`(
    select svc_guard_json(e.body::text)::json->>'error_type' from svc_run_events e where e.run_seq = r.seq order by e.event_index desc limit 1
  )`

  const isMeant = ({ errorType, filter: { component, owner }, run_id, session_id, statuses, updatedFrom }: RunSearch) =>
    sql.and([
      // as in the index svc_runs_by_change
      sql`coalesce(r.parent_run_id, '') = ''`,
      sql`r.kind = ${component.kind}`,
      sql`r.component_id = ${text(component.id)}`,
      sql`s.session_type = ${component.kind}`,
      sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(component.id)}`,
      Ownership.isVisible(sql, owner),
      ...(run_id === undefined ? [] : [sql`r.run_id = ${text(run_id)}`]),
      ...(session_id === undefined ? [] : [sql`r.session_id = ${text(session_id)}`]),
      ...(statuses === undefined ? [] : [sql`r.status = any(${texts(statuses)})`]),
      ...(errorType === undefined
        ? []
        : [sql`(${lastErrorType} is not distinct from ${text(errorType.type)}) = ${errorType.isMeant}`]),
      ...(updatedFrom === undefined ? [] : [sql`r.updated_at >= ${Math.ceil(updatedFrom)}::bigint`])
    ])

  /** The runs of a user are those of the user's sessions, which are fewer than the runs of a component. */
  const foundIn = (search: RunSearch) =>
    search.filter.owner._tag === "User"
      ? sql`from svc_sessions s cross join lateral (
          select * from svc_runs r where r.session_id = s.session_id offset 0
        ) r where ${isMeant(search)}`
      : sql`from svc_runs r join svc_sessions s on s.session_id = r.session_id where ${isMeant(search)}`

  const find = SqlSchema.findAll({
    Request: unchecked<RunSearch>(),
    Result: FoundRow,
    execute: (search) => {
      const { after, limit } = search
      const found = foundIn(search)
      const isBehind = after === undefined
        ? sql`true`
        : sql`(r.updated_at, r.seq) < (${after.updated_at}::bigint, ${after.position}::bigint)`
      return sql`
        select r.run_id, r.session_id, r.status, r.updated_at::float8 as updated_at, r.seq::float8 as position,
          svc_unguard_json(coalesce(
            svc_guard_json(r.output::text)::json->'metadata', svc_guard_json(r.command::text)::json->'metadata'
          )::text)::json as metadata,
          (select count(*)::int from (select ${found} limit ${maxCounted}) counted) as total
        ${found} and ${isBehind} order by r.updated_at desc, r.seq desc limit ${limit}`
    }
  })

  const count = SqlSchema.findOne({
    Request: unchecked<RunSearch>(),
    Result: Schema.Struct({ total: Schema.Natural }),
    execute: (search) => sql`select count(*)::int as total from (select ${foundIn(search)} limit ${maxCounted}) counted`
  })

  return Effect.fn("SqlRunStore.search")(function*(search: RunSearch) {
    const rows = yield* find(search)
    const [first] = rows
    const isBehindAll = first === undefined && search.after !== undefined
    const { total } = first ?? (isBehindAll ? yield* count(search) : { total: 0 })
    const found: FoundRuns = {
      runs: rows.map(({ total: _, ...run }) => run),
      total
    }
    return found
  }, readOrUnavailable)
}
