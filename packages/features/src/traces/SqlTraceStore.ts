// `TraceStore` in PostgreSQL.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Session from "@svc-runtime/domain/Session"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text, textOrNull, texts, times, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import * as StalePacks from "./StalePacks.ts"
import * as StoredSpans from "./StoredSpans.ts"
import * as Trace from "./Trace.ts"
import * as TraceFilter from "./TraceFilter.ts"
import * as TraceParts from "./TraceParts.ts"
import * as TraceStatements from "./TraceStatements.ts"
import { type Listed, type Query, TraceStore } from "./TraceStore.ts"

// The filter language of traces as SQL, of a trace `t`. Missing ids are null: they match NEQ and NOT only, as in
// `TraceFilter.matches`.

type Values = ReadonlyArray<string | number>

const operators = { GT: ">", GTE: ">=", LT: "<", LTE: "<=" } as const

/** Larger numbers than the columns have compare alike. */
const bounded = (value: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER))

/** Durations are filtered in milliseconds and stored in microseconds. */
const microseconds = (key: TraceFilter.Field, value: string | number): number =>
  bounded(Math.round(Number(value) * (key === "duration_ms" ? 1000 : 1)))

const escaped = (part: string): string => text(part).replaceAll(/[\\%_]/g, "\\$&")

/** The collation "C" knows the cases of these letters only, and compares several times as fast. */
const isAscii = (part: string): boolean => /^\p{ASCII}*$/u.test(part)

const traceFilters = (sql: SqlClient.SqlClient) => {
  const columnOf = (key: TraceFilter.Field): Statement.Fragment =>
    key === "duration_ms" ? sql`(t.end_time - t.start_time)` : sql.literal(`t.${key}`)

  const valueOf = (key: TraceFilter.Field, value: string | number): Statement.Fragment =>
    TraceFilter.typeOf(key) === "text"
      ? sql`${text(String(value))}`
      : sql`${String(microseconds(key, value))}::bigint`

  const listOf = (key: TraceFilter.Field, values: Values): Statement.Fragment =>
    TraceFilter.typeOf(key) === "text"
      ? sql`${texts(values.map((value) => text(String(value))))}::text[]`
      : sql`${times(values.map((value) => microseconds(key, value)))}::bigint[]`

  const isLike = (column: Statement.Fragment, pattern: string): Statement.Fragment => {
    const collation = sql.literal(isAscii(pattern) ? "\"C\"" : "\"default\"")
    return sql`coalesce(lower(${column} collate ${collation}) like lower(${pattern}), false)`
  }

  /** Other runs than the one that the trace shows, of which most traces have none. */
  const othersOf = { run_id: sql.literal("t.other_runs"), session_id: sql.literal("t.other_sessions") }

  const isOneOf = (key: TraceFilter.Field, isOne: Statement.Fragment, values: Values): Statement.Fragment => {
    const isShown = sql`${columnOf(key)} = ${isOne}`
    if (!TraceFilter.isOfRuns(key)) return isShown
    // twice: if plans do not know the values, they take it for one trace in a hundred and look along the start times
    const [others, list] = [othersOf[key], listOf(key, values)]
    return sql`(${isShown} or (${others} && ${list} and ${list} && ${others}))`
  }

  const compare = ({ by, key, value }: Extract<TraceFilter.Filter, { readonly _tag: "Compare" }>) => {
    const column = columnOf(key)
    switch (by) {
      case "EQ":
        return isOneOf(key, valueOf(key, value), [value])
      case "NEQ":
        return sql`(${isOneOf(key, valueOf(key, value), [value])}) is not true`
      case "CONTAINS":
        return isLike(column, `%${escaped(String(value))}%`)
      case "STARTSWITH":
        return isLike(column, `${escaped(String(value))}%`)
      default:
        return sql`${column} ${sql.literal(operators[by])} ${valueOf(key, value)}`
    }
  }

  const condition = (filter: TraceFilter.Filter): Statement.Fragment => {
    switch (filter._tag) {
      case "And":
        return filter.filters.length === 0 ? sql.literal("true") : sql.and(filter.filters.map(condition))
      case "Or":
        return filter.filters.length === 0 ? sql.literal("false") : sql.or(filter.filters.map(condition))
      case "Not":
        return sql`(${condition(filter.filter)}) is not true`
      case "In":
        return isOneOf(filter.key, sql`any(${listOf(filter.key, filter.values)})`, filter.values)
      case "Compare":
        return compare(filter)
    }
  }

  return condition
}

const traceColumns = `t.trace_id, t.name, t.status, t.start_time::float8 as start_time, t.end_time::float8 as end_time,
  t.run_id, t.session_id, t.user_id, t.agent_id, t.team_id, t.workflow_id, t.created_at::float8 as created_at`

const listedColumns = `${traceColumns}, t.total_spans, t.error_count, t.input, t.bytes::float8 as bytes`

const ListedRow = Schema.Struct({
  ...Trace.Trace.fields,
  total_spans: Schema.Natural,
  error_count: Schema.Natural,
  input: Schema.NullOr(Schema.String),
  bytes: Schema.Finite
})

const nullableText = Schema.NullOr(Schema.String)

const SessionRow = Schema.Struct({
  session_id: Schema.String,
  user_id: nullableText,
  agent_id: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
  total_traces: Schema.Natural,
  first_trace_at: Schema.Finite,
  last_trace_at: Schema.Finite
})

interface Stored extends Listed {
  /** Of its spans. */
  readonly bytes: number
}

const storedOf = ({ bytes, error_count, input, total_spans, ...trace }: typeof ListedRow.Type): Stored => ({
  trace,
  total_spans,
  error_count,
  input,
  bytes
})

const readable = ReadableRows.make(ListedRow, "trace_id")
const readableSessions = ReadableRows.make(SessionRow)

/** Of a row in a list, at most: four bytes for each character of the input. */
const listedBytes = 4 * TraceParts.inputLimit + 1000

/** Of a session in a list, about. */
const sessionBytes = 500

/** An empty id, or one that is too long, names no session. */
const sessionsOf = (ids: ReadonlyArray<Session.Id>): ReadonlyArray<string> =>
  ids.map(text).filter((id) => id !== TraceStatements.anySession && id.length <= Ids.maxLength)

const latestFirst = "t.start_time desc, t.trace_id desc"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { response: responseLimit } = yield* StoreLimits
  const pages = Page.make(sql)
  const statements = TraceStatements.make(sql)
  const storedSpans = StoredSpans.make(sql)
  const rewriteStalePacks = StalePacks.make(sql)
  const condition = traceFilters(sql)

  const matching = ({ filter, owner }: Query): Statement.Fragment =>
    sql`svc_traces t where ${sql.and([Ownership.coversIn(sql, "t", owner), condition(filter)])}`

  /** A page of rows that can be larger than a response is counted before it is read. */
  const checkSize = Effect.fnUntraced(function*(
    subject: "traces" | "foundTraces" | "traceSessions",
    bytesOfRow: number,
    { from, page }: Page.Page
  ) {
    if (page.limit * bytesOfRow <= responseLimit) return
    const count = Math.min(page.limit, (yield* pages.count(from)) - Pagination.offset(page))
    yield* admit(subject, count * bytesOfRow, responseLimit)
  })

  const listed = Effect.fnUntraced(function*(
    subject: "traces" | "foundTraces",
    query: Query,
    page: Pagination.Request
  ) {
    const from = matching(query)
    yield* checkSize(subject, listedBytes, { from, page })
    const order = sql.literal(latestFirst)
    const rows = yield* pages.select({ columns: sql.literal(listedColumns), from, order, page })
    return { found: (yield* readable(rows)).map(storedOf), total: yield* pages.totalOf(rows, { from, page }) }
  })

  const spansOf = Effect.fnUntraced(function*(traces: ReadonlyArray<Stored>) {
    const bytes = traces.reduce((sum, trace) => sum + trace.bytes, 0)
    const isOne = new Set(traces.map(({ trace }) => trace.trace_id)).size === 1
    yield* admit(isOne ? "trace" : "foundTraces", bytes, responseLimit)
    const rows = yield* sql`
      select ${sql.literal(StoredSpans.columns)} from unnest(
        ${texts(traces.map(({ trace }) => text(trace.trace_id)))}::text[],
        ${texts(traces.map(({ trace }) => textOrNull(trace.user_id)))}::text[]
      ) as t (trace_id, user_id) join svc_spans s on s.trace_id = t.trace_id and s.owner = coalesce(t.user_id, '')
      left join svc_span_packs k using (pack_id)`
    const spans = Map.groupBy(yield* storedSpans.all(rows), TraceParts.keyOf)
    return traces.map(({ trace }): TraceParts.Whole => ({ trace, spans: spans.get(TraceParts.keyOf(trace)) ?? [] }))
  })

  const inSessions = (query: Query) => sql`${matching(query)} and t.session_id is not null`

  /** Only the sessions of the page are summed up: groups of all sessions with all columns are several times slower. */
  const sessionPage = (query: Query, page: Pagination.Request) =>
    sql<{ readonly total: number }>`
      with latest as materialized (
        select t.session_id, max(t.created_at) as last_trace_at from ${inSessions(query)} group by t.session_id
      ), page as materialized (
        select * from latest order by last_trace_at desc, session_id ${pages.limits(page)}
      )
      select found.*, (select count(*) from latest)::int as total from page cross join lateral (
        select t.session_id, max(t.user_id) as user_id, max(t.agent_id) as agent_id, max(t.team_id) as team_id,
          max(t.workflow_id) as workflow_id, count(*)::int as total_traces,
          min(t.created_at)::float8 as first_trace_at, max(t.created_at)::float8 as last_trace_at
        from ${matching(query)} and t.session_id = page.session_id group by t.session_id
      ) found
      order by page.last_trace_at desc, page.session_id`

  const removePiece = SqlSchema.findOne({
    Request: unchecked<Statement.Fragment>(),
    Result: Schema.Struct({ found: Schema.Natural, removed: Schema.Natural }),
    execute: statements.removePiece
  })

  const remove = Effect.fnUntraced(function*(isMeant: Statement.Fragment) {
    let total = 0
    for (;;) {
      const { found, removed } = yield* removePiece(isMeant)
      if (found === 0) break
      total += removed
    }
    // also after a removal that failed here, and is repeated
    yield* rewriteStalePacks
    return total
  })

  return TraceStore.of({
    write: Effect.fn("SqlTraceStore.write")(function*(spans, at) {
      const full: Array<string> = []
      for (let rest = spans; rest.length > 0;) {
        const parts = TraceParts.of(rest, at)
        const written = yield* statements.write(parts)
        full.push(...written.flatMap(({ span_id, trace_id }) => span_id === null ? trace_id : []))
        rest = TraceStatements.restOf(parts, written)
      }
      return full
    }, orUnavailable),
    list: Effect.fn("SqlTraceStore.list")(function*(query, page) {
      const { found, total } = yield* listed("traces", query, page)
      return { found: found.map(({ bytes: _, ...trace }) => trace), total }
    }, readOrUnavailable),
    search: Effect.fn("SqlTraceStore.search")(function*(query, page) {
      const { found, total } = yield* listed("foundTraces", query, page)
      return { found: yield* spansOf(found), total }
    }, readOrUnavailable),
    find: Effect.fn("SqlTraceStore.find")(function*(trace_id, owner) {
      const rows = yield* sql`
        select ${sql.literal(listedColumns)} from svc_traces t
        where t.trace_id = ${text(trace_id)} and ${Ownership.coversIn(sql, "t", owner)}`
      const wholes = yield* spansOf((yield* readable(rows)).map(storedOf))
      return Option.fromUndefinedOr(TraceParts.joined(wholes))
    }, readOrUnavailable),
    findSpan: Effect.fn("SqlTraceStore.findSpan")(function*({ span_id, trace_id }, owner) {
      const part = `"span_id":${json(text(span_id))}`
      const rows = yield* sql`
        select ${sql.literal(StoredSpans.columns)} from svc_spans s left join svc_span_packs k using (pack_id)
        where s.trace_id = ${text(trace_id)} and ${Ownership.covers(sql, "s.user_id", owner)} and exists (
          select from svc_traces t where t.trace_id = s.trace_id and t.owner = s.owner
            and ${Ownership.coversSession(sql, "t.session_id", owner)}
        )`
      return yield* storedSpans.find(rows, text(span_id), part)
    }, readOrUnavailable),
    sessions: Effect.fn("SqlTraceStore.sessions")(function*(query, page) {
      const from = sql`(select distinct t.session_id from ${inSessions(query)}) found`
      yield* checkSize("traceSessions", sessionBytes, { from, page })
      const rows = yield* sessionPage(query, page)
      return { found: yield* readableSessions(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    recordRemovalOfSessions: Effect.fn("SqlTraceStore.recordRemovalOfSessions")(function*(ids, owner, at, database) {
      const sessions = sessionsOf(ids)
      if (sessions.length === 0 || owner._tag === "None") return
      yield* statements.record({ sessions, owner, at, database })
    }, orUnavailable),
    removeOfSessions: Effect.fn("SqlTraceStore.removeOfSessions")(function*(ids, owner, at, database) {
      const sessions = sessionsOf(ids)
      if (sessions.length === 0 || owner._tag === "None") return 0
      yield* statements.record({ sessions, owner, at, database })
      return yield* remove(statements.isOfSessions(sessions, owner, database))
    }, orUnavailable),
    recordRemovalOfUser: Effect.fn("SqlTraceStore.recordRemovalOfUser")((user_id, at) =>
      orUnavailable(statements.record({ sessions: [TraceStatements.anySession], owner: Owner.user(user_id), at }))
    ),
    removeOfUser: Effect.fn("SqlTraceStore.removeOfUser")(function*(user_id, at) {
      const owner = Owner.user(user_id)
      yield* statements.record({ sessions: [TraceStatements.anySession], owner, at })
      return yield* remove(Ownership.covers(sql, "t.user_id", owner))
    }, orUnavailable)
  })
})

export const layer: Layer.Layer<TraceStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(TraceStore, make)
