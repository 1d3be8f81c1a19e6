// Spans as `ExportTraceServiceRequest` in JSON: ids are hexadecimal digits, and numbers of 64 bits are texts.
import type * as Span from "@svc-runtime/domain/Span"
import * as ExportedAttributes from "./ExportedAttributes.ts"
import type { Encoding, OpenBatch, Source } from "./SpanQueue.ts"

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const statuses = { UNSET: 0, OK: 1, ERROR: 2 } as const

const encoder = new TextEncoder()

const decoder = new TextDecoder()

/** Between two spans. The text of a span has no line break. */
const separator = ",\n"

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
    attributes: attributesOf(attributes, hasContent)
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

/** The text of a request before its spans. */
const beginningOf = ({ resource, scope, version }: Source): string => {
  const before = JSON.stringify({ attributes: attributesOf(resource) })
  const name = JSON.stringify({ name: scope, version })
  return `{"resourceSpans":[{"resource":${before},"scopeSpans":[{"scope":${name},"spans":[`
}

const end = "]}]}]}"

const openBatches = (source: Source) => {
  const beginning = beginningOf(source)
  const request = (spans: ReadonlyArray<string>): Uint8Array<ArrayBuffer> =>
    encoder.encode(`${beginning}${spans.join(separator)}${end}`)
  const spansOf = (whole: Uint8Array) => decoder.decode(whole).slice(beginning.length, -end.length).split(separator)
  return (): OpenBatch => {
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
      seal: () => {
        const whole = request(texts)
        const count = texts.length
        return {
          count,
          bytes: whole.length,
          body: (from, to) => from === 0 && to === count ? whole : request(spansOf(whole).slice(from, to))
        }
      }
    }
  }
}

export const encoding: Encoding = { contentType: "application/json", open: openBatches }
