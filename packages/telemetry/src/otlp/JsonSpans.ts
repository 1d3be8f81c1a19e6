// Spans as `ExportTraceServiceRequest` in JSON: ids are hexadecimal digits, and numbers of 64 bits are texts.
import type * as Span from "@svc/domain/Span"
import * as ExportedAttributes from "./ExportedAttributes.ts"
import type { Batch, Encoding, Source } from "./SpanQueue.ts"

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const statuses = { UNSET: 0, OK: 1, ERROR: 2 } as const

const encoder = new TextEncoder()

const valueOf = (value: Span.AttributeValue): object => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "object") return { arrayValue: { values: value.map(valueOf) } }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const attributesOf = (attributes: Span.Attributes, hasContent = true): ReadonlyArray<object> => {
  const entries: Array<object> = []
  ExportedAttributes.forEach(attributes, hasContent, (key, value) => entries.push({ key, value: valueOf(value) }))
  return entries
}

const nanoseconds = (microseconds: number): string => `${microseconds}000`

const spanOf = (span: Span.Span, hasContent: boolean): object => ({
  traceId: span.trace_id,
  spanId: span.span_id,
  ...(span.trace_state === null ? {} : { traceState: span.trace_state }),
  ...(span.parent_span_id === null ? {} : { parentSpanId: span.parent_span_id }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.started_at),
  endTimeUnixNano: nanoseconds(span.ended_at),
  attributes: attributesOf(span.attributes, hasContent),
  events: span.events.map(({ attributes, name, time }) => ({
    timeUnixNano: nanoseconds(time),
    name,
    attributes: attributesOf(attributes)
  })),
  links: span.links.map(({ attributes, span_id, trace_id }) => ({
    traceId: trace_id,
    spanId: span_id,
    attributes: attributesOf(attributes)
  })),
  status: {
    ...(span.status_message === null ? {} : { message: span.status_message }),
    code: statuses[span.status]
  },
  flags: 1
})

const request = ({ resource, scope, version }: Source, spans: ReadonlyArray<string>): Uint8Array<ArrayBuffer> => {
  const before = JSON.stringify({ attributes: attributesOf(resource) })
  const name = JSON.stringify({ name: scope, version })
  return encoder.encode(
    `{"resourceSpans":[{"resource":${before},"scopeSpans":[{"scope":${name},"spans":[${spans.join(",")}]}]}]}`
  )
}

const openBatches = (source: Source) => (): Batch => {
  const texts: Array<string> = []
  let bytes = 0
  return {
    get count() {
      return texts.length
    },
    get bytes() {
      return bytes
    },
    add: (span) => {
      const text = JSON.stringify(spanOf(span, source.hasContent))
      // characters outside of Latin make a text two bytes wide
      bytes += 2 * text.length
      texts.push(text)
    },
    seal: () => {},
    body: (from, to) => request(source, texts.slice(from, to))
  }
}

export const encoding: Encoding = { contentType: "application/json", open: openBatches }
