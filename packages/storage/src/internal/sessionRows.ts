// Sessions as they come out of the database. A damaged part is null and logged, so that it hides neither the rest of
// its session nor the other sessions of a list.
import * as Json from "@svc/domain/Json"
import * as Session from "@svc/domain/Session"
import * as Usage from "@svc/domain/Usage"
import { Effect, Option, Result, Schema, Struct } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import { logDamaged } from "./rejectedStatements.ts"
import type { SessionRow } from "./rows.ts"

const state = Schema.NullOr(Json.Object)
const metrics = Schema.NullOr(Usage.SessionMetrics)
const summary = Schema.NullOr(Session.Summary)

/** Undefined where the value is damaged, or nested too deep to be decoded. */
const reader = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value: unknown): A | undefined =>
    Option.getOrUndefined(Result.getOrElse(Result.try(() => decode(value)), Option.none))
}

const Parts = Schema.Struct({
  session_state: state,
  session_metrics: metrics,
  component_data: state,
  metadata: state,
  summary
})
// compiled, because every read of a session decodes them
SchemaJITCompiler.enable(Parts.ast)

const readAll = reader(Parts)
const [readObject, readMetrics, readSummary] = [reader(state), reader(metrics), reader(summary)]

/** The session of a row, with what else the row has. */
export const toSession = <Row extends typeof SessionRow.Type>(row: Row) => {
  const whole = readAll(row)
  if (whole !== undefined) return Effect.succeed({ ...row, ...whole })
  const read = {
    session_state: readObject(row.session_state),
    session_metrics: readMetrics(row.session_metrics),
    component_data: readObject(row.component_data),
    metadata: readObject(row.metadata),
    summary: readSummary(row.summary)
  }
  const damaged = Struct.keys(read).filter((name) => read[name] === undefined)
  return Effect.as(logDamaged(row.session_id, damaged), {
    ...row,
    session_state: read.session_state ?? null,
    session_metrics: read.session_metrics ?? null,
    component_data: read.component_data ?? null,
    metadata: read.metadata ?? null,
    summary: read.summary ?? null
  })
}
