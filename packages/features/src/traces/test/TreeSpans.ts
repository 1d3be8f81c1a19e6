// Spans of a trace, by short names, and the detail that is made of them.
import * as Span from "@svc-runtime/domain/Span"
import { Schema } from "effect"
import * as Trace from "../Trace.ts"
import * as TraceTree from "../TraceTree.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"
export const at = (milliseconds: number) => Date.UTC(2026, 10, 20, 10) * 1000 + milliseconds * 1000

const names = ["root", "a", "b", "c", "queue", "job", "other"] as const
export const spanIds = Object.fromEntries(names.map((name, index) => [name, String(index + 1).repeat(16)])) as {
  readonly [Name in typeof names[number]]: string
}

const ids = { ...Span.noRun, run_id: "r1", session_id: "s1", user_id: "ada" }

export const span = (
  id: keyof typeof spanIds,
  parent: keyof typeof spanIds | null,
  [from, to]: readonly [number, number],
  kind: string,
  more: Partial<Span.Span> = {}
): Span.Span => ({
  trace_id: traceId,
  span_id: spanIds[id],
  parent_span_id: parent === null ? null : spanIds[parent],
  trace_state: null,
  name: id,
  kind: "internal",
  started_at: at(from),
  ended_at: at(to),
  status: "OK",
  status_message: null,
  events: [],
  links: [],
  is_root: parent === null,
  ...ids,
  ...more,
  attributes: { "openinference.span.kind": kind, ...more.attributes }
})

export const trace: Trace.Trace = {
  trace_id: traceId,
  name: "root",
  status: "OK",
  start_time: at(0),
  end_time: at(2500),
  ...ids,
  created_at: at(2501)
}

export const detail = (spans: ReadonlyArray<Span.Span>, of: Trace.Trace = trace): Trace.Detail => {
  const found = TraceTree.detailOf(of, spans)
  Schema.decodeUnknownSync(Trace.Detail)(found)
  return found
}
