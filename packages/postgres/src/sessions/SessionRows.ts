// Sessions as they come out of the database. A damaged part is null and logged, so that it hides neither the rest of
// its session nor the other sessions of a list.
import * as Json from "@svc-runtime/domain/Json"
import * as Session from "@svc-runtime/domain/Session"
import * as Usage from "@svc-runtime/domain/Usage"
import { Effect, Option, Predicate, Schema, Struct } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import { logDamaged } from "../sql/rejectedStatements.ts"
import type { SessionRow } from "../sql/rows.ts"

const metrics = Schema.NullOr(Usage.SessionMetrics)
const summary = Schema.NullOr(Session.Summary)

/** Undefined where the value is damaged. */
const reader = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value: unknown): A | undefined => Option.getOrUndefined(decode(value))
}

const Checked = Schema.Struct({ session_metrics: metrics, summary })
// compiled, because every read of a session decodes them
SchemaJITCompiler.enable(Checked.ast)

const readChecked = reader(Checked)
const [readMetrics, readSummary] = [reader(metrics), reader(summary)]

/** Far more than callers may store, and few enough for every function that encodes the value. */
const maxDepth = 5 * Json.maxDepth

const isWithin = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (levels === 0) return false
  for (const key in value) if (!isWithin((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return false
  return true
}

/** Undefined where the value is no object, or nested too deep. The driver has parsed it, so what is in it is JSON. */
const readObject = (value: unknown): Json.Object | null | undefined =>
  value === null || (Predicate.isObject(value) && isWithin(value, maxDepth)) ? value as Json.Object | null : undefined

/** A plain literal: spreading the row into another object would take longer than decoding it. */
const sessionOf = (
  row: typeof SessionRow.Type,
  parts: Pick<Session.Session, "session_state" | "session_metrics" | "component_data" | "metadata" | "summary">
): Session.Session => ({
  session_id: row.session_id,
  session_type: row.session_type,
  agent_id: row.agent_id,
  team_id: row.team_id,
  workflow_id: row.workflow_id,
  user_id: row.user_id,
  session_name: row.session_name,
  derived_name: row.derived_name,
  session_state: parts.session_state,
  session_metrics: parts.session_metrics,
  component_data: parts.component_data,
  metadata: parts.metadata,
  summary: parts.summary,
  created_at: row.created_at,
  updated_at: row.updated_at
})

export const toSession = (row: typeof SessionRow.Type): Effect.Effect<Session.Session> => {
  const checked = readChecked(row)
  const read = {
    session_state: readObject(row.session_state),
    session_metrics: checked === undefined ? readMetrics(row.session_metrics) : checked.session_metrics,
    component_data: readObject(row.component_data),
    metadata: readObject(row.metadata),
    summary: checked === undefined ? readSummary(row.summary) : checked.summary
  }
  const session = sessionOf(row, {
    session_state: read.session_state ?? null,
    session_metrics: read.session_metrics ?? null,
    component_data: read.component_data ?? null,
    metadata: read.metadata ?? null,
    summary: read.summary ?? null
  })
  const damaged = Struct.keys(read).filter((name) => read[name] === undefined)
  return damaged.length === 0 ? Effect.succeed(session) : Effect.as(logDamaged(row.session_id, damaged), session)
}
