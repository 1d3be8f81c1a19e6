// The parts of traces that are written, as rows `p` of SQL.
import { integers, text, textOrNull, texts, times } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient } from "effect/sql"
import * as TraceParts from "./TraceParts.ts"

/** An invalid time must not fail the spans beside it. */
export const time = (microseconds: number): number =>
  Math.max(0, Math.min(Math.floor(microseconds), Number.MAX_SAFE_INTEGER))

/** A list as the text that SQL reads. */
const listText = (ids: ReadonlyArray<string>): string =>
  `{${Array.from(new Set(ids), (id) => `"${text(id).replaceAll(/["\\]/g, "\\$&")}"`).join()}}`

/** `others`: the values of their columns `other_runs` and `other_sessions`, which cost nothing if there are none. */
export const of = (sql: SqlClient.SqlClient, parts: ReadonlyArray<TraceParts.Part>) => {
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
