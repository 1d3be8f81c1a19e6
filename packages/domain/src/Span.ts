// An ended span: one timed operation of a trace, as sinks get it and as it is stored.
import { Schema } from "effect"

const traceId = /^(?!0{32})[0-9a-f]{32}$/
const spanId = /^(?!0{16})[0-9a-f]{16}$/

/** The W3C form: 32 hexadecimal digits, not all zero. */
export const TraceId = Schema.String.check(Schema.isPattern(traceId))

/** The W3C form: 16 hexadecimal digits, not all zero. */
export const SpanId = Schema.String.check(Schema.isPattern(spanId))

/** Every span has ids, so they are checked without a decoder. */
export const isTraceId = (text: string): boolean => traceId.test(text)
export const isSpanId = (text: string): boolean => spanId.test(text)

export const Kind = Schema.Literals(["internal", "server", "client", "producer", "consumer"])
export type Kind = typeof Kind.Type

export const Status = Schema.Literals(["OK", "ERROR", "UNSET"])
export type Status = typeof Status.Type

export const AttributeValue = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)])
export type AttributeValue = typeof AttributeValue.Type

export const Attributes = Schema.Record(Schema.String, AttributeValue)
export type Attributes = typeof Attributes.Type

/** Microseconds since 1970. Whole, and exact as numbers for two more centuries. */
export const Time = Schema.Natural

export const Event = Schema.Struct({ name: Schema.String, time: Time, attributes: Attributes })
export type Event = typeof Event.Type

/** A related span, for example of an earlier attempt. */
export const Link = Schema.Struct({ trace_id: TraceId, span_id: SpanId, attributes: Attributes })
export type Link = typeof Link.Type

const id = Schema.NullOr(Schema.String)

/** The run that a span is a part of: of a member's spans, the member run. All null outside of runs. */
export const RunIds = Schema.Struct({
  run_id: id,
  session_id: id,
  user_id: id,
  agent_id: id,
  team_id: id,
  workflow_id: id,
  /** That of the session. Left out: it is not known. */
  database: Schema.optionalKey(Schema.String),
  /** When the run began that has started the others: spans of a run are removed with those before it. */
  run_started_at: Schema.optionalKey(Schema.Natural)
})
export type RunIds = typeof RunIds.Type

export const noRun: RunIds = {
  run_id: null,
  session_id: null,
  user_id: null,
  agent_id: null,
  team_id: null,
  workflow_id: null
}

/** The time that a removal compares. */
export const removalTimeOf = ({ run_started_at, started_at }: Pick<Span, "run_started_at" | "started_at">): number =>
  run_started_at === undefined ? started_at : Math.min(run_started_at, started_at)

export const Span = Schema.Struct({
  trace_id: TraceId,
  span_id: SpanId,
  parent_span_id: Schema.NullOr(SpanId),
  /** The value that the caller sent for other tracing systems. */
  trace_state: Schema.NullOr(Schema.String),
  name: Schema.String,
  kind: Kind,
  started_at: Time,
  ended_at: Time,
  status: Status,
  /** The message of an error. */
  status_message: Schema.NullOr(Schema.String),
  attributes: Attributes,
  /** Names of the attributes that code of an author has set. Left out: none. */
  authored: Schema.optionalKey(Schema.Array(Schema.String)),
  events: Schema.Array(Event),
  links: Schema.Array(Link),
  /** Whether its parent is no part of a run: a run that nothing else runs, or a background job of one. */
  is_root: Schema.Boolean,
  /** Whether it is a part of a job of the run. Such spans may be hours later. */
  is_after_run: Schema.optionalKey(Schema.Boolean),
  ...RunIds.fields
}).annotate({ identifier: "Span" })
export type Span = typeof Span.Type
