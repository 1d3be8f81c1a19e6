// Spans as `ExportTraceServiceRequest` in the wire format of Protocol Buffers (opentelemetry.proto.trace.v1).
import type * as Span from "@svc-runtime/domain/Span"
import * as ExportedAttributes from "./ExportedAttributes.ts"
import { ProtobufWriter } from "./ProtobufWriter.ts"
import type { Encoding, OpenBatch, Source } from "./SpanQueue.ts"

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const statuses = { UNSET: 0, OK: 1, ERROR: 2 } as const

const writeValue = (writer: ProtobufWriter, field: number, value: Span.AttributeValue): void => {
  const start = writer.begin(field)
  if (typeof value === "string") writer.text(1, value)
  else if (typeof value === "boolean") writer.natural(2, value ? 1 : 0)
  else if (typeof value === "object") {
    const list = writer.begin(5)
    for (const each of value) writeValue(writer, 1, each)
    writer.end(list)
  } else if (Number.isSafeInteger(value)) writer.integer(3, value)
  else writer.double(4, value)
  writer.end(start)
}

const writeAttribute = (writer: ProtobufWriter, field: number, name: string, value: Span.AttributeValue): void => {
  const start = writer.begin(field)
  writer.text(1, name)
  writeValue(writer, 2, value)
  writer.end(start)
}

const writeAttributes = (
  writer: ProtobufWriter,
  field: number,
  attributes: Span.Attributes,
  hasContent = true
): void => {
  ExportedAttributes.forEach(attributes, hasContent, (name, value) => writeAttribute(writer, field, name, value))
}

/** The limits of the attributes that are encoded once. */
const limits = { names: 256, values: 16, characters: 64 }

type Write = (writer: ProtobufWriter, name: string, value: Span.AttributeValue) => void

/** Writes the attributes of spans. Most of them have few values, and are encoded once for each. */
const spanAttributes = (): Write => {
  const encoded = new Map<string, Map<Span.AttributeValue, Uint8Array>>()

  const valuesOf = (name: string) => {
    const known = encoded.get(name)
    if (known !== undefined || encoded.size >= limits.names || name.length > limits.characters) return known
    const values = new Map<Span.AttributeValue, Uint8Array>()
    encoded.set(name, values)
    return values
  }

  return (writer, name, value) => {
    const values = typeof value === "object" ? undefined : valuesOf(name)
    const bytes = values?.get(value)
    if (bytes !== undefined) return writer.raw(bytes)
    const start = writer.length
    writeAttribute(writer, 9, name, value)
    const isKept = values !== undefined && values.size < limits.values && !ExportedAttributes.contentNames.has(name)
    if (isKept && writer.length - start <= 2 * limits.characters) {
      values.set(value, writer.bytes.slice(start, writer.length))
    }
  }
}

const writeSpan = (writer: ProtobufWriter, span: Span.Span, hasContent: boolean, write: Write): void => {
  writer.hex(1, span.trace_id)
  writer.hex(2, span.span_id)
  if (span.trace_state !== null) writer.text(3, span.trace_state)
  if (span.parent_span_id !== null) writer.hex(4, span.parent_span_id)
  writer.text(5, span.name)
  writer.natural(6, kinds[span.kind])
  writer.nanoseconds(7, span.started_at)
  writer.nanoseconds(8, span.ended_at)
  ExportedAttributes.forEach(span.attributes, hasContent, (name, value) => write(writer, name, value))
  for (const { attributes, name, time } of span.events) {
    writer.message(11, () => {
      writer.nanoseconds(1, time)
      writer.text(2, name)
      writeAttributes(writer, 3, attributes, hasContent)
    })
  }
  for (const { attributes, span_id, trace_id } of span.links) {
    writer.message(13, () => {
      writer.hex(1, trace_id)
      writer.hex(2, span_id)
      writeAttributes(writer, 4, attributes)
    })
  }
  const { status, status_message } = span
  if (status !== "UNSET") {
    writer.message(15, () => {
      if (status_message !== null) writer.text(2, status_message)
      writer.natural(3, statuses[status])
    })
  }
  // the flag of W3C that the trace is sampled
  writer.word(16, 1)
}

const encoded = (write: (writer: ProtobufWriter) => void): Uint8Array<ArrayBuffer> => {
  const writer = new ProtobufWriter(1024)
  write(writer)
  return writer.bytes.slice(0, writer.length)
}

/** The bytes of the tags and lengths of the messages around the spans. */
const aroundBytes = 32

/** A request around encoded spans, which are the last fields of its last message. */
const requests = ({ resource, scope, version }: Source) => {
  const encodedResource = encoded((writer) => writer.message(1, () => writeAttributes(writer, 1, resource)))
  const encodedScope = encoded((writer) =>
    writer.message(1, () => {
      writer.text(1, scope)
      writer.text(2, version)
    })
  )
  return (spans: Uint8Array): Uint8Array<ArrayBuffer> => {
    const writer = new ProtobufWriter(encodedResource.length + encodedScope.length + spans.length + aroundBytes)
    writer.message(1, () => {
      writer.raw(encodedResource)
      writer.message(2, () => {
        writer.raw(encodedScope)
        writer.raw(spans)
      })
    })
    return writer.bytes.subarray(0, writer.length)
  }
}

/** Larger ones are not kept for the next batch. */
const keptBytes = 2 * 1024 * 1024

/** Batches are filled one after the other: the next one writes where the last one has. */
const openBatches = (source: Source) => {
  let spare: ProtobufWriter | undefined
  const write = spanAttributes()
  const request = requests(source)
  return (): OpenBatch => {
    const writer = spare ?? new ProtobufWriter(64 * 1024)
    spare = undefined
    writer.length = 0
    const starts: Array<number> = []
    return {
      get count() {
        return starts.length
      },
      get bytes() {
        return writer.length
      },
      add: (span) => {
        starts.push(writer.length)
        writer.message(2, () => writeSpan(writer, span, source.hasContent, write))
      },
      seal: () => {
        const whole = request(writer.bytes.subarray(0, writer.length))
        const spans = whole.subarray(whole.length - writer.length)
        if (writer.bytes.length <= keptBytes) spare = writer
        return {
          count: starts.length,
          bytes: whole.length,
          body: (from, to) =>
            from === 0 && to === starts.length ? whole : request(spans.subarray(starts[from], starts[to]))
        }
      }
    }
  }
}

export const encoding: Encoding = { contentType: "application/x-protobuf", open: openBatches }
