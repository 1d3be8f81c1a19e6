// A trace: the spans of one trace id. Stored once for all of its spans; shown as a summary, or with the tree of them.
import * as Json from "@svc-runtime/domain/Json"
import * as Span from "@svc-runtime/domain/Span"
import { DateTime } from "@svc-runtime/domain/Time"
import { Effect, Schema } from "effect"

/** The stored fields of a trace besides its spans. Ids are those of its root span. */
export const Trace = Schema.Struct({
  trace_id: Span.TraceId,
  name: Schema.String,
  /** ERROR if a span has failed. */
  status: Schema.Literals(["OK", "ERROR"]),
  start_time: Span.Time,
  end_time: Span.Time,
  ...Span.RunIds.fields,
  created_at: Span.Time
})
export type Trace = typeof Trace.Type

/** Milliseconds, with three decimals. */
export const durationOf = ({ end_time, start_time }: Pick<Trace, "start_time" | "end_time">): number =>
  Math.max(0, end_time - start_time) / 1000

const text = Schema.optionalKey(Schema.String)

const ids = { run_id: text, session_id: text, user_id: text, agent_id: text, team_id: text, workflow_id: text }

export const Summary = Schema.Struct({
  trace_id: Span.TraceId,
  name: Schema.String,
  status: Schema.String,
  /** `850ms`, from a second on `2.50s`. */
  duration: Schema.String,
  start_time: DateTime,
  end_time: DateTime,
  total_spans: Schema.Natural,
  error_count: Schema.Natural,
  input: text,
  ...ids,
  created_at: DateTime
}).annotate({ identifier: "TraceSummary" })
export type Summary = typeof Summary.Type

const node = {
  id: Span.SpanId,
  name: Schema.String,
  /** WORKFLOW, TEAM, AGENT, LLM, TOOL, RETRIEVER, EMBEDDING, STATEMENT or UNKNOWN. */
  type: Schema.String,
  duration: Schema.String,
  start_time: DateTime,
  end_time: DateTime,
  status: Span.Status,
  input: text,
  output: text,
  error: text,
  /** The type of a step in the workflow. */
  step_type: text,
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Span.AttributeValue))
}

export interface Node extends Schema.Struct.Type<typeof node> {
  /** In the order of their starts. */
  readonly spans?: ReadonlyArray<Node>
}

export const Node: Schema.Codec<Node> = Schema.Struct({
  ...node,
  spans: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Node> => Node)))
}).annotate({ identifier: "TraceNode" })

export const Detail = Schema.Struct({
  ...Summary.fields,
  output: text,
  error: text,
  tree: Schema.Array(Node)
}).annotate({ identifier: "TraceDetail" })
export type Detail = typeof Detail.Type

export const SessionStats = Schema.Struct({
  session_id: Schema.String,
  user_id: text,
  agent_id: text,
  team_id: text,
  workflow_id: text,
  total_traces: Schema.Natural,
  first_trace_at: DateTime,
  last_trace_at: DateTime
}).annotate({ identifier: "TraceSessionStats" })
export type SessionStats = typeof SessionStats.Type

const withDefault = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

const atLeastOne = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Search = Schema.Struct({
  /** An expression of `TraceFilter`. All traces, when left out. */
  filter: Schema.optionalKey(Schema.NullOr(Json.Object)),
  group_by: withDefault(Schema.Literals(["run", "session"]), "run"),
  page: withDefault(atLeastOne, 1),
  limit: withDefault(atLeastOne.check(Schema.isLessThanOrEqualTo(100)), 20)
}).annotate({ identifier: "TraceSearchRequest" })
export type Search = typeof Search.Type
