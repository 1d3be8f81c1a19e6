// The filter language of traces as SQL, of a trace `t`. Missing ids are null: they match NEQ and NOT only, as in
// `TraceFilter.matches`.
import { text, texts, times } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient, Statement } from "effect/sql"
import * as TraceFilter from "./TraceFilter.ts"

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

export const make = (sql: SqlClient.SqlClient) => {
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
