// Spans as a text that a test compares: one line for each span, indented below its parent, in the order of their starts
// and then of their ends. Ids and times are left out.
import type { Span } from "@svc-runtime/domain/Span"

export interface Options {
  /** The attributes that are shown. */
  readonly attributes?: ReadonlyArray<string> | undefined
}

const shown = ({ attributes, links, name, status, status_message }: Span, { attributes: wanted = [] }: Options) => {
  const values = wanted.flatMap((key) => attributes[key] === undefined ? [] : [`${key}=${String(attributes[key])}`])
  return [
    name,
    ...(status === "OK" ? [] : [status_message === null ? status : `${status}: ${status_message}`]),
    ...values,
    ...links.map((link) => `link ${JSON.stringify(link.attributes)}`)
  ].join(" | ")
}

const inOrder = (one: Span, other: Span) => one.started_at - other.started_at

/** Spans whose parent is missing are roots. */
export const of = (spans: ReadonlyArray<Span>, options: Options = {}): ReadonlyArray<string> => {
  const ids = new Set(spans.map(({ span_id }) => span_id))
  const below = (parent: string | null, indent: string): ReadonlyArray<string> =>
    spans
      .filter(({ parent_span_id: id }) => parent === null ? id === null || !ids.has(id) : id === parent)
      .toSorted(inOrder)
      .flatMap((span) => [`${indent}${shown(span, options)}`, ...below(span.span_id, `${indent}  `)])
  return below(null, "")
}
