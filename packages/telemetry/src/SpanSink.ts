// A place that ended spans go to: an exporter, the store of traces, a list in a test.
import type { Span } from "@svc-runtime/domain/Span"

export interface SpanSink {
  /** Whether it takes spans of runs only. Where all sinks do, these spans are not recorded. */
  readonly takesOnlyRuns?: boolean | undefined
  /** Takes a span, or drops and counts it. Returns at once and never throws: it is called in the fiber of a run. */
  readonly offer: (span: Span) => void
}

/** Keeps every span, for tests. */
export const memory = (): SpanSink & { readonly spans: Array<Span> } => {
  const spans: Array<Span> = []
  return { spans, offer: (span) => void spans.push(span) }
}
