// The statements that change traces. A row of `svc_spans` is for the spans of one batch that share a trace, a user and
// a session. They are a line of a pack, which the rows of a batch share.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Span from "@svc-runtime/domain/Span"
import * as Tenant from "@svc-runtime/domain/Tenant"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import { booleans, byteStrings, integers, json, text, textOrNull, texts, times } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient, Statement } from "effect/sql"
import * as SpanPacks from "./SpanPacks.ts"
import * as TraceParts from "./TraceParts.ts"

// The parts of traces that are written, as rows `p` of SQL.

/** An invalid time must not fail the spans beside it. */
const time = (microseconds: number): number => Math.max(0, Math.min(Math.floor(microseconds), Number.MAX_SAFE_INTEGER))

/** A list as the text that SQL reads. */
const listText = (ids: ReadonlyArray<string>): string =>
  `{${Array.from(new Set(ids), (id) => `"${text(id).replaceAll(/["\\]/g, "\\$&")}"`).join()}}`

/** `others`: the values of their columns `other_runs` and `other_sessions`, which cost nothing if there are none. */
const partRows = (sql: SqlClient.SqlClient, parts: ReadonlyArray<TraceParts.Part>) => {
  const column = (valueOf: (part: TraceParts.Part) => string | null) => texts(parts.map(valueOf).map(textOrNull))
  const timesOf = (valueOf: (part: TraceParts.Part) => number) => times(parts.map(valueOf).map(time))
  const runs = parts.map(TraceParts.otherRunsOf)
  const others = (key: keyof TraceParts.Runs) =>
    texts(runs.map((ids) => ids === undefined || ids[key].length === 0 ? null : listText(ids[key])))
  const hasOthers = runs.some((ids) => ids !== undefined)
  const rows = sql`unnest(
    ${column(({ trace }) => trace.trace_id)}::text[],
    ${column(({ trace }) => trace.name)}::text[],
    ${integers(parts.map(({ rank }) => rank))}::integer[],
    ${column(({ trace }) => trace.status)}::text[],
    ${timesOf(({ trace }) => trace.start_time)}::bigint[],
    ${timesOf(({ trace }) => trace.end_time)}::bigint[],
    ${column(({ trace }) => trace.run_id)}::text[],
    ${column(({ trace }) => trace.session_id)}::text[],
    ${column(({ trace }) => trace.user_id)}::text[],
    ${column(({ trace }) => trace.agent_id)}::text[],
    ${column(({ trace }) => trace.team_id)}::text[],
    ${column(({ trace }) => trace.workflow_id)}::text[],
    ${timesOf(({ trace }) => trace.created_at)}::bigint[],
    ${column(({ input }) => input)}::text[],
    ${column(({ trace: { database = null } }) => database)}::text[]
    ${hasOthers ? sql`, ${others("run_id")}::text[], ${others("session_id")}::text[]` : sql.literal("")}
  ) as p (trace_id, name, name_rank, status, start_time, end_time, run_id, session_id, user_id, agent_id, team_id,
    workflow_id, created_at, input, database${sql.literal(hasOthers ? ", other_runs, other_sessions" : "")})`
  const given = sql.literal(hasOthers ? "p.other_runs::text[], p.other_sessions::text[]" : "null::text[], null::text[]")
  return { rows, others: given }
}

/** Of one statement. */
const removedAtOnce = 200

/** Other runs and sessions of a trace that find it. Each write to the trace indexes all of them again. */
const maxOthers = 1000

const { isRun, limits, runLimits } = TraceParts

/** The spans of a part that are one row: those of one session. Most parts are one run, which costs one row then. */
const groupsOf = ({ spans }: TraceParts.Part): ReadonlyArray<readonly [Span.Span, ReadonlyArray<Span.Span>]> => {
  const [first] = spans
  if (first === undefined) return []
  const isSame = ({ database, session_id }: Span.Span) => session_id === first.session_id && database === first.database
  if (spans.every(isSame)) return [[first, spans]]
  const groups = Map.groupBy(spans, ({ database, session_id }) => JSON.stringify([session_id, database]))
  return Array.from(groups.values(), (group) => [group[0] ?? first, group])
}

const errorsOf = (spans: ReadonlyArray<Span.Span>): number => spans.filter(({ status }) => status === "ERROR").length

/** A row of spans, and its place in the packs of the batch. */
interface Row extends SpanPacks.Place {
  readonly first: Span.Span
  readonly spans: ReadonlyArray<Span.Span>
  readonly bytes: number
}

const packed = (parts: ReadonlyArray<TraceParts.Part>) => {
  const groups = parts.flatMap(groupsOf)
  const lines = groups.map(([, spans]) => json(spans))
  const { packs, places } = SpanPacks.of(lines)
  const rows = groups.map(([first, spans], index): Row => {
    const { line, pack } = places[index] ?? { line: 0, pack: 0 }
    return { first, spans, bytes: Buffer.byteLength(lines[index] ?? ""), pack, line }
  })
  return { packs, rows }
}

const packRows = (sql: SqlClient.SqlClient, packs: ReadonlyArray<SpanPacks.Pack>) =>
  sql`unnest(
    ${integers(packs.map(({ bytes }) => bytes))}::integer[],
    ${byteStrings(packs.map(({ body }) => body))}::bytea[]
  ) with ordinality as k (bytes, body, place)`

const spanRows = (sql: SqlClient.SqlClient, rows: ReadonlyArray<Row>) => {
  const column = (valueOf: (first: Span.Span) => string | null) =>
    texts(rows.map(({ first }) => textOrNull(valueOf(first))))
  return sql`unnest(
    ${column(({ span_id }) => span_id)}::text[],
    ${column(({ trace_id }) => trace_id)}::text[],
    ${column(({ user_id }) => user_id)}::text[],
    ${column(({ session_id }) => session_id)}::text[],
    ${column(({ database = null }) => database)}::text[],
    ${booleans(rows.map(({ spans }) => spans.some(({ is_root }) => is_root)))}::boolean[],
    ${booleans(rows.map(({ spans }) => spans.every(isRun)))}::boolean[],
    ${times(rows.map(({ spans }) => Math.min(...spans.map(({ started_at }) => time(started_at)))))}::bigint[],
    ${times(rows.map(({ spans }) => Math.min(...spans.map((span) => time(Span.removalTimeOf(span))))))}::bigint[],
    ${integers(rows.map(({ spans }) => spans.length))}::integer[],
    ${integers(rows.map(({ spans }) => errorsOf(spans)))}::integer[],
    ${integers(rows.map(({ bytes }) => bytes))}::integer[],
    ${integers(rows.map(({ pack }) => pack + 1))}::integer[],
    ${integers(rows.map(({ line }) => line))}::integer[]
  ) as i (span_id, trace_id, user_id, session_id, database, is_root, has_only_runs, started_at, removal_time, spans,
    errors, bytes, pack, line)`
}

/** A trace that a write has filled, or a row of spans that it has refused. */
export interface Written {
  readonly trace_id: string
  /** The first of the row. Null: the trace is full from now on. */
  readonly span_id: string | null
  /** Microseconds since 1970: spans of runs that began until then are removed. Null: only other rows have some. */
  readonly removed_at: number | null
  readonly is_full: boolean
}

/** What can be stored of parts with refused rows: no removed spans, and of a full trace only runs. */
export const restOf = (
  parts: ReadonlyArray<TraceParts.Part>,
  written: ReadonlyArray<Written>
): ReadonlyArray<Span.Span> => {
  const refused = new Map(
    written.flatMap((row) => row.span_id === null ? [] : [[`${row.trace_id} ${row.span_id}`, row]])
  )
  if (refused.size === 0) return []
  const groups = parts.flatMap(groupsOf).map(([first, spans]) => ({
    spans,
    row: refused.get(`${text(first.trace_id)} ${text(first.span_id)}`)
  }))
  if (groups.every(({ row }) => row === undefined)) return []
  return groups.flatMap(({ row, spans }) => {
    if (row === undefined) return spans
    const { is_full, removed_at } = row
    if (is_full && spans.every(isRun)) return []
    return spans.filter((span) =>
      (removed_at === null || time(Span.removalTimeOf(span)) > removed_at) && (!is_full || isRun(span))
    )
  })
}

/** As the session of a removal: all sessions of the owner. */
export const anySession = ""

/** Whether a removal `r` is about what this user has. A removal for a tenant has what its users begin with. */
export const isRemovedFor = (user_id: string): string => {
  const tenant = `substring(${user_id} from '^(?:${Tenant.scheduler}:)?(tenant:[^:]+:)')`
  return `(not r.has_user or ${user_id} = r.user_id or (r.session_id <> '' and r.user_id = ${tenant}))`
}

interface Removal {
  readonly sessions: ReadonlyArray<string>
  /** Left out: all. */
  readonly database?: Ids.DatabaseId | undefined
  readonly owner: Owner.Owner
  /** Microseconds since 1970. */
  readonly at: number
}

export const make = (sql: SqlClient.SqlClient) => {
  // as in `TraceParts.merge`
  const isReplaced = sql.literal("(t.name_rank < 0 and excluded.name_rank >= 0)")
  const isWidened = sql.literal("(t.name_rank < 0 or excluded.name_rank >= 0)")

  const isFull = (alias: string, { bytes, spans }: { readonly bytes: number; readonly spans: number }) =>
    sql`(${sql.literal(alias)}.total_spans >= ${spans} or ${sql.literal(alias)}.bytes >= ${bytes})`

  /** Without the one that the trace shows. Its session counts if it is that of a root run. */
  const others = (shown: string, column: string) =>
    sql.literal(`case
      when cardinality(t.${column}) >= ${maxOthers} then t.${column}
      when excluded.${column} is null and (excluded.run_id is null or excluded.${shown} is null
        or excluded.${shown} = coalesce(t.${shown}, excluded.${shown})) then t.${column}
      else nullif((array(
        select distinct id from unnest(
          t.${column} || excluded.${column} || case when excluded.run_id is null then null else excluded.${shown} end
        ) as id where id is not null and id is distinct from coalesce(t.${shown}, excluded.${shown})
      ))[1:${maxOthers}], '{}') end`)

  /** Of an incoming row `i`. */
  const isNew = sql.literal(`not exists (
    select from svc_spans s where s.trace_id = i.trace_id and s.owner = i.owner and s.span_id = i.span_id
  )`)

  /**
   * One statement. Its commit does not wait for the disk, which would delay runs: a crash of the database may lose the
   * latest spans. Rows that are new count: a batch that is written again has the same rows. Traces are locked in the
   * order of their ids. Returns the traces that it has filled. If a trace is full, or has removed spans, it stores
   * nothing and returns the rows of such traces: `parts` has the content of spans that must not be stored.
   */
  const write = (parts: ReadonlyArray<TraceParts.Part>): Statement.Statement<Written> => {
    const { packs, rows } = packed(parts)
    const traces = partRows(sql, parts)
    return sql`
      with unsynced as materialized (
        select set_config('synchronous_commit', 'off', true)
      ), incoming as materialized (
        select i.*, coalesce(i.user_id, '') as owner, (
          select max(r.removed_at) from svc_trace_removals r where r.session_id in ('', i.session_id)
            and r.removed_at >= i.removal_time and ${sql.literal(isRemovedFor("i.user_id"))}
            and (r.database = '' or i.database is null or r.database = i.database)
        ) as removed_at, exists (
          select from svc_traces t where t.trace_id = i.trace_id and t.owner = coalesce(i.user_id, '')
            and case when i.has_only_runs then ${isFull("t", runLimits)} else ${isFull("t", limits)} end
        ) as is_full
        from unsynced, ${spanRows(sql, rows)}
      ), refused as materialized (
        select distinct i.trace_id, i.owner from incoming i
        where (i.removed_at is not null or i.is_full) and ${isNew}
      ), packs as materialized (
        select k.*, nextval(pg_get_serial_sequence('svc_span_packs', 'pack_id')) as pack_id
        from ${packRows(sql, packs)} where not exists (select from refused)
      ), stored as (
        insert into svc_spans (span_id, trace_id, user_id, session_id, database, is_root, is_error, started_at, pack_id,
          pack_line)
        select span_id, trace_id, user_id, session_id, database, is_root, errors > 0, started_at, pack_id, line
        from incoming i join packs k on k.place = i.pack
        on conflict do nothing
        returning trace_id, owner, span_id, pack_id
      ), packed as (
        insert into svc_span_packs (pack_id, lines_left, removed_lines, bytes, body)
        select k.pack_id, l.count, coalesce(l.others, '{}'), k.bytes, k.body from packs k join (
          select i.pack, count(s.span_id)::int as count, array_agg(i.line) filter (where s.span_id is null) as others
          from incoming i left join stored s using (trace_id, owner, span_id) group by i.pack
        ) l on l.pack = k.place and l.count > 0
      ), counted as (
        select trace_id, owner, sum(i.spans)::int as total_spans, sum(i.errors)::int as error_count,
          sum(i.bytes)::bigint as bytes
        from stored join incoming i using (trace_id, owner, span_id)
        group by trace_id, owner
      ), written as (
        insert into svc_traces as t (trace_id, name, name_rank, status, start_time, end_time, run_id, session_id, user_id,
          agent_id, team_id, workflow_id, created_at, input, database, other_runs, other_sessions, total_spans,
          error_count, bytes)
        select p.trace_id, p.name, p.name_rank, p.status, p.start_time, p.end_time, p.run_id, p.session_id, p.user_id,
          p.agent_id, p.team_id, p.workflow_id, p.created_at, p.input, p.database, ${traces.others},
          c.total_spans, c.error_count, c.bytes from ${traces.rows}
          join counted c on c.trace_id = p.trace_id and c.owner = coalesce(p.user_id, '')
        order by p.trace_id, c.owner
        on conflict (trace_id, owner) do update set
          name = case when excluded.name_rank > t.name_rank then excluded.name else t.name end,
          name_rank = greatest(t.name_rank, excluded.name_rank),
          status = case when ${isReplaced} or ${isWidened} and excluded.status = 'ERROR' then excluded.status
            else t.status end,
          start_time = case when ${isReplaced} then excluded.start_time
            when ${isWidened} then least(t.start_time, excluded.start_time) else t.start_time end,
          end_time = case when ${isReplaced} then excluded.end_time
            when ${isWidened} then greatest(t.end_time, excluded.end_time) else t.end_time end,
          run_id = coalesce(t.run_id, excluded.run_id),
          session_id = coalesce(t.session_id, excluded.session_id),
          other_runs = ${others("run_id", "other_runs")},
          other_sessions = ${others("session_id", "other_sessions")},
          database = case when t.session_id is null then excluded.database else t.database end,
          agent_id = coalesce(t.agent_id, excluded.agent_id),
          team_id = coalesce(t.team_id, excluded.team_id),
          workflow_id = coalesce(t.workflow_id, excluded.workflow_id),
          input = coalesce(t.input, excluded.input),
          total_spans = t.total_spans + excluded.total_spans,
          error_count = t.error_count + excluded.error_count,
          bytes = t.bytes + excluded.bytes
        returning t.trace_id, t.owner, t.total_spans, t.bytes
      )
      select trace_id, null as span_id, null::float8 as removed_at, true as is_full
        from written w join counted c using (trace_id, owner)
        where ${isFull("w", limits)} and w.total_spans - c.total_spans < ${limits.spans}
          and w.bytes - c.bytes < ${limits.bytes}
      union all select trace_id, span_id, removed_at::float8, is_full from refused join incoming i using (trace_id, owner)
        where ${isNew}`
  }

  const record = ({ at, database, owner, sessions }: Removal) => {
    const user_id = owner._tag === "User"
      ? text(owner.user_id)
      : owner._tag === "Tenant"
      ? text(Tenant.prefixOf(owner.tenant))
      : ""
    return sql`
      insert into svc_trace_removals as r (session_id, database, user_id, has_user, removed_at)
      select distinct id, ${text(database ?? "")}::text, ${user_id}, ${user_id !== ""}::boolean, ${
      String(time(at))
    }::bigint
      from unnest(${texts(sessions)}::text[]) as id order by 1
      on conflict (session_id, user_id, has_user, database) do update set removed_at = greatest(r.removed_at, excluded.removed_at),
        is_applied = false`
  }

  /** Other statements can remove what it finds. Like a write, it locks traces in the order of their ids. */
  const removePiece = (isMeant: Statement.Fragment) =>
    sql`
      with found as materialized (
        select t.trace_id, t.owner from svc_traces t where ${isMeant} limit ${removedAtOnce}
      ), locked as materialized (
        select t.trace_id, t.owner from svc_traces t join found using (trace_id, owner)
        order by t.trace_id, t.owner for update of t
      ), gone as (
        delete from svc_traces d using locked where d.trace_id = locked.trace_id and d.owner = locked.owner returning 1
      )
      select (select count(*)::int from found) as found, (select count(*)::int from gone) as removed`

  /** Traces that a run of one of the sessions has, which may not be the one that the trace is called after. */
  const isOfSessions = (
    sessions: ReadonlyArray<string>,
    owner: Owner.Owner,
    database: Ids.DatabaseId | undefined
  ) => {
    const isOne = sql`= any(${texts(sessions)}::text[])`
    const isIn = (alias: string) =>
      database === undefined
        ? sql`true`
        : sql`coalesce(${sql.literal(alias)}.database, ${text(database)}) = ${text(database)}`
    return sql`
      (t.trace_id, t.owner) in (
        select o.trace_id, o.owner from svc_traces o where o.session_id ${isOne} and ${isIn("o")}
        union all select s.trace_id, s.owner from svc_spans s where s.is_root and s.session_id ${isOne} and ${isIn("s")}
      ) and ${Ownership.coversIn(sql, "t", owner)}`
  }

  return { isOfSessions, record, removePiece, write }
}
