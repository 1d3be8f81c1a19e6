// Finds runs of a component by one statement, which counts them up to a limit. A page behind the last run needs another
// one for the total, and so do the outputs of the runs, if they are wanted.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { type FoundRun, type FoundRuns, maxCounted, type RunSearch } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import * as Path from "../sql/Path.ts"
import { text, texts, unchecked } from "../sql/rows.ts"
import * as RunColumns from "./RunColumns.ts"
import * as RunPieces from "./RunPieces.ts"
import * as RunRows from "./RunRows.ts"

const FoundRow = Schema.Struct({
  run_id: Run.Id,
  session_id: Session.Id,
  status: Run.Status,
  metadata: Schema.NullOr(Json.Object),
  updated_at: Schema.Finite,
  position: Schema.Finite,
  total: Schema.Natural,
  /** Of the output, if it is read. */
  bytes: Schema.Finite
})

/** The first ones whose bytes fit, at least one. */
export const fitting = <A>(runs: ReadonlyArray<A>, bytesOf: (run: A) => number, limit: number): ReadonlyArray<A> => {
  let bytes = 0
  const end = runs.findIndex((run, index) => {
    bytes += bytesOf(run)
    return bytes > limit && index > 0
  })
  return end === -1 ? runs : runs.slice(0, end)
}

export interface Limits {
  readonly historyLimit: number
  readonly responseLimit: number
}

export const make = (sql: SqlClient.SqlClient, { historyLimit, responseLimit }: Limits) => {
  const findOutputs = RunPieces.make(sql, RunColumns.make(sql, historyLimit).outline)

  const lastErrorType = sql`(
    select svc_guard_json(e.body::text)::json->>'error_type' from svc_run_events e where e.run_seq = r.seq order by e.event_index desc limit 1
  )`

  /** A parameter would hide the status from the planner, which has an index of the runs with one of these. */
  const isIn = (statuses: ReadonlyArray<Run.Status>) =>
    statuses.length === 1 && (statuses[0] === "ERROR" || statuses[0] === "PAUSED")
      ? sql.literal(`r.status = '${statuses[0]}'`)
      : sql`r.status = any(${texts(statuses)})`

  /** The path of a named session is found once. */
  const isOnPathOf = (session: RunSearch["session_id"]) =>
    session === undefined
      ? sql.literal(Path.has(Path.ofLeaf, "r.seq"))
      : sql`r.seq <@ (
          select ${sql.literal(Path.of(Path.ofLeaf))} from svc_sessions s where s.session_id = ${text(session)}
        )`

  const isMeant = (
    { errorType, filter: { component, owner }, isOnPath, nodes, run_id, session_id, statuses, updatedFrom }: RunSearch
  ) =>
    sql.and([
      ...(isOnPath === true ? [isOnPathOf(session_id)] : []),
      // as in the index svc_runs_by_change
      sql`coalesce(r.parent_run_id, '') = ''`,
      sql`r.kind = ${component.kind}`,
      sql`r.component_id = ${text(component.id)}`,
      sql`s.session_type = ${component.kind}`,
      sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(component.id)}`,
      Ownership.isVisible(sql, owner),
      ...(run_id === undefined ? [] : [sql`r.run_id = ${text(run_id)}`]),
      ...(session_id === undefined ? [] : [sql`r.session_id = ${text(session_id)}`]),
      ...(statuses === undefined ? [] : [isIn(statuses)]),
      ...(errorType === undefined
        ? []
        : [sql`(${lastErrorType} is not distinct from ${text(errorType.type)}) = ${errorType.isMeant}`]),
      ...(nodes === undefined ? [] : [sql`starts_with(r.node, ${text(nodes)})`]),
      ...(updatedFrom === undefined ? [] : [sql`r.updated_at >= ${Math.ceil(updatedFrom)}::bigint`])
    ])

  /** One run or one session is looked up by its index, whatever the planner knows of the tables. */
  const lookedUp = (condition: Statement.Fragment) =>
    sql`from (select * from svc_runs r where ${condition} offset 0) r cross join lateral (
        select * from svc_sessions s where s.session_id = r.session_id offset 0
      ) s`

  /** The runs of a user are those of the user's sessions, which are fewer than the runs of a component. */
  const source = ({ filter: { owner }, run_id, session_id }: RunSearch) => {
    if (run_id !== undefined) return lookedUp(sql`r.run_id = ${text(run_id)}`)
    if (session_id !== undefined) return lookedUp(sql`r.session_id = ${text(session_id)}`)
    return owner._tag === "User"
      ? sql`from svc_sessions s cross join lateral (
          select * from svc_runs r where r.session_id = s.session_id offset 0
        ) r`
      : sql`from svc_runs r join svc_sessions s on s.session_id = r.session_id`
  }

  const foundIn = (search: RunSearch) => sql`${source(search)} where ${isMeant(search)}`

  const find = SqlSchema.findAll({
    Request: unchecked<RunSearch>(),
    Result: FoundRow,
    execute: (search) => {
      const { after, isReading = false, limit, offset = 0 } = search
      const found = foundIn(search)
      const isBehind = after === undefined
        ? sql`true`
        : sql`(r.updated_at, r.seq) < (${after.updated_at}::bigint, ${after.position}::bigint)`
      return sql`
        select r.run_id, r.session_id, r.status, r.updated_at::float8 as updated_at, r.seq::float8 as position,
          svc_unguard_json(coalesce(
            svc_guard_json(r.output::text)::json->'metadata', svc_guard_json(r.command::text)::json->'metadata'
          )::text)::json as metadata,
          (select count(*)::int from (select ${found} limit ${maxCounted}) counted) as total,
          ${isReading ? sql`coalesce(octet_length(r.output::text), 0)` : sql`0`}::float8 as bytes
        ${found} and ${isBehind} order by r.updated_at desc, r.seq desc limit ${limit}
          offset ${offset}`
    }
  })

  const count = SqlSchema.findOne({
    Request: unchecked<RunSearch>(),
    Result: Schema.Struct({ total: Schema.Natural }),
    execute: (search) => sql`select count(*)::int as total from (select ${foundIn(search)} limit ${maxCounted}) counted`
  })

  /** Runs that cannot be read, or were deleted meanwhile, get no output. */
  const read = Effect.fnUntraced(function*(found: ReadonlyArray<typeof FoundRow.Type>) {
    const runs = fitting(found, ({ bytes }) => bytes, responseLimit)
    yield* ReadLimiter.admit(Effect.sync(() => ({ parsed: runs.reduce((sum, { bytes }) => sum + bytes, 0) })))
    const rows = yield* findOutputs(runs)
    const outputs = new Map<string, AnyRun.Output>()
    for (const row of rows) {
      const output = yield* RunRows.toOutput(row)
      outputs.set(output.run_id, output)
    }
    return runs.map(({ bytes: _, total: __, ...run }): FoundRun => {
      const output = outputs.get(run.run_id)
      return output === undefined ? run : { ...run, output }
    })
  })

  return Effect.fn("SqlRunStore.search")(function*(search: RunSearch) {
    const rows = yield* find(search)
    const [first] = rows
    const isBehindAll = first === undefined && (search.after !== undefined || (search.offset ?? 0) > 0)
    const { total } = first ?? (isBehindAll ? yield* count(search) : { total: 0 })
    const found: FoundRuns = {
      runs: search.isReading === true
        ? yield* read(rows)
        : rows.map(({ bytes: _, total: __, ...run }): FoundRun => run),
      total,
      bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0)
    }
    return found
  }, readOrUnavailable)
}
