// Which spans are below which in the tree of a trace.
import type * as Span from "@svc-runtime/domain/Span"
import * as TraceParts from "./TraceParts.ts"

type Spans = ReadonlyArray<Span.Span>

/** Deeper spans are left out: the service nests runs less deeply. */
export const maxDepth = 100

/** Of a span whose parent is not stored: a full trace has its runs, and lacks other spans that end late. */
const runAround = (span: Span.Span, runs: Spans): Span.Span | undefined => {
  const isAround = (run: Span.Span) =>
    run.user_id === span.user_id && run.session_id === span.session_id &&
    run.started_at <= span.started_at && span.started_at <= run.ended_at
  return runs.find((run) => run.run_id === span.run_id && isAround(run)) ?? runs.find(isAround)
}

/** The spans below each span, in the order of their starts. A span without a parent and without a run is a root. */
export const arrange = (spans: Spans) => {
  const byId = new Map(spans.map((span) => [span.span_id, span]))
  const parentOf = ({ parent_span_id: id }: Span.Span) => id === null ? undefined : byId.get(id)
  const isRoot = (span: Span.Span) => parentOf(span) === undefined && (span.parent_span_id === null || span.is_root)

  /** Whether all spans above it are stored. Only below such a run can spans be placed without a cycle. */
  const isComplete = (span: Span.Span): boolean => {
    let top: Span.Span = span
    for (let depth = 0; depth < maxDepth; depth++) {
      const parent = parentOf(top)
      if (parent === undefined) return isRoot(top)
      top = parent
    }
    return false
  }

  const runs = spans.filter((span) => TraceParts.isRun(span) && isComplete(span))
  const roots: Array<Span.Span> = []
  const children = new Map<string, Array<Span.Span>>()
  for (const span of spans.toSorted((one, other) => one.started_at - other.started_at)) {
    const parent = isRoot(span) ? undefined : parentOf(span) ?? runAround(span, runs)
    if (parent === undefined) roots.push(span)
    else if (children.get(parent.span_id)?.push(span) === undefined) children.set(parent.span_id, [span])
  }
  return { roots, childrenOf: ({ span_id }: Span.Span): Spans => children.get(span_id) ?? [] }
}
