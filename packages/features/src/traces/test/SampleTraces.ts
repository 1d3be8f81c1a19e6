// Spans for tests of traces.
import * as Span from "@svc-runtime/domain/Span"

let last = 0
const hex = (digits: number): string => (++last).toString(16).padStart(digits, "0")

const start = Date.UTC(2026, 10, 20, 10) * 1000

/** Microseconds since 1970, this many milliseconds after the start of the tests. */
export const at = (milliseconds: number): number => start + milliseconds * 1000

export const traceId = (): string => hex(32)

/** A span of a trace that no other test has. */
export const span = (given: Partial<Span.Span> = {}): Span.Span => ({
  trace_id: given.trace_id ?? traceId(),
  span_id: hex(16),
  parent_span_id: null,
  trace_state: null,
  name: "chat m",
  kind: "internal",
  started_at: at(0),
  ended_at: at(1),
  status: "OK",
  status_message: null,
  events: [],
  links: [],
  is_root: false,
  attributes: {},
  ...Span.noRun,
  run_id: "run",
  ...given
})

/** A run that no other run has started. */
export const root = ({ attributes, ...given }: Partial<Span.Span> = {}): Span.Span =>
  span({
    name: "invoke_agent a",
    is_root: true,
    agent_id: "a",
    ...given,
    attributes: { "gen_ai.operation.name": "invoke_agent", "openinference.span.kind": "AGENT", ...attributes }
  })
