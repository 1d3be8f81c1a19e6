// Reads `ExportTraceServiceRequest` from bytes, in both encodings of OTLP, after opentelemetry/proto/trace/v1. What
// writes them has no code in common with it. A field that the format does not have is an error.
export interface ReceivedEvent {
  readonly name: string
  readonly time: bigint
  readonly attributes: Attributes
}

export interface ReceivedLink {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Attributes
}

export type Attributes = Readonly<Record<string, unknown>>

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: number
  /** Nanoseconds. */
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Attributes
  readonly events: ReadonlyArray<ReceivedEvent>
  readonly links: ReadonlyArray<ReceivedLink>
  readonly status: { readonly code: number; readonly message: string }
  readonly flags: number
}

export interface Received {
  readonly resource: Attributes
  readonly scope: { readonly name: string; readonly version: string }
  readonly spans: ReadonlyArray<ReceivedSpan>
}

/** The values of each field of a message, in their order: numbers of any width, or bytes. */
type Message = ReadonlyMap<number, ReadonlyArray<bigint | Buffer>>

const read = (bytes: Buffer, known: ReadonlyArray<number>): Message => {
  const fields = new Map<number, Array<bigint | Buffer>>()
  let at = 0
  const varint = (): bigint => {
    for (let [value, shift] = [0n, 0n];; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error(`A field of ${length} bytes does not fit into its message`)
    at += length
    return bytes.subarray(at - length, at)
  }
  const valueOf = (type: number): bigint | Buffer => {
    switch (type) {
      case 0:
        return varint()
      case 1:
        return take(8).readBigUInt64LE()
      case 2:
        return take(Number(varint()))
      case 5:
        return BigInt(take(4).readUInt32LE())
      default:
        throw new Error(`There is no wire type ${type}`)
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const field = tag >> 3
    if (!known.includes(field)) throw new Error(`The message has no field ${field}`)
    fields.set(field, [...fields.get(field) ?? [], valueOf(tag & 7)])
  }
  return fields
}

const all = (message: Message, field: number): ReadonlyArray<Buffer> =>
  (message.get(field) ?? []).map((value) => {
    if (typeof value === "bigint") throw new Error(`Field ${field} is a number`)
    return value
  })

const bytesOf = (message: Message, field: number): Buffer => all(message, field).at(-1) ?? Buffer.alloc(0)
const textOf = (message: Message, field: number): string => bytesOf(message, field).toString("utf8")
const hexOf = (message: Message, field: number): string => bytesOf(message, field).toString("hex")
const numberOf = (message: Message, field: number): bigint => {
  const value = message.get(field)?.at(-1) ?? 0n
  if (typeof value !== "bigint") throw new Error(`Field ${field} is not a number`)
  return value
}

const anyValue = (bytes: Buffer): unknown => {
  const message = read(bytes, [1, 2, 3, 4, 5])
  const [field] = message.keys()
  switch (field) {
    case 1:
      return textOf(message, 1)
    case 2:
      return numberOf(message, 2) === 1n
    case 3:
      return Number(BigInt.asIntN(64, numberOf(message, 3)))
    case 4: {
      const double = Buffer.alloc(8)
      double.writeBigUInt64LE(numberOf(message, 4))
      return double.readDoubleLE()
    }
    case 5:
      return all(read(bytesOf(message, 5), [1]), 1).map(anyValue)
    default:
      return undefined
  }
}

const attributesIn = (message: Message, field: number): Attributes =>
  Object.fromEntries(
    all(message, field).map((bytes) => {
      const pair = read(bytes, [1, 2])
      return [textOf(pair, 1), anyValue(bytesOf(pair, 2))]
    })
  )

const spanOf = (bytes: Buffer): ReceivedSpan => {
  const span = read(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16])
  const status = read(bytesOf(span, 15), [2, 3])
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    traceState: textOf(span, 3),
    parentSpanId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: Number(numberOf(span, 6)),
    start: numberOf(span, 7),
    end: numberOf(span, 8),
    attributes: attributesIn(span, 9),
    events: all(span, 11).map((bytes) => {
      const event = read(bytes, [1, 2, 3])
      return { time: numberOf(event, 1), name: textOf(event, 2), attributes: attributesIn(event, 3) }
    }),
    links: all(span, 13).map((bytes) => {
      const link = read(bytes, [1, 2, 4])
      return { traceId: hexOf(link, 1), spanId: hexOf(link, 2), attributes: attributesIn(link, 4) }
    }),
    status: { code: Number(numberOf(status, 3)), message: textOf(status, 2) },
    flags: Number(numberOf(span, 16))
  }
}

export const fromProtobuf = (bytes: Buffer): ReadonlyArray<Received> =>
  all(read(bytes, [1]), 1).flatMap((bytes) => {
    const resourceSpans = read(bytes, [1, 2])
    const resource = attributesIn(read(bytesOf(resourceSpans, 1), [1]), 1)
    return all(resourceSpans, 2).map((bytes) => {
      const scopeSpans = read(bytes, [1, 2])
      const scope = read(bytesOf(scopeSpans, 1), [1, 2])
      return {
        resource,
        scope: { name: textOf(scope, 1), version: textOf(scope, 2) },
        spans: all(scopeSpans, 2).map(spanOf)
      }
    })
  })

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of a fixed form, which a wrong field breaks
type Json = any

const jsonValue = (value: Json): unknown => {
  if ("intValue" in value) return Number(value.intValue)
  if ("arrayValue" in value) return value.arrayValue.values.map(jsonValue)
  return value.stringValue ?? value.boolValue ?? value.doubleValue
}

const jsonAttributes = (attributes: Json): Attributes =>
  Object.fromEntries((attributes ?? []).map(({ key, value }: Json) => [key, jsonValue(value)]))

const jsonSpan = (span: Json): ReceivedSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  traceState: span.traceState ?? "",
  parentSpanId: span.parentSpanId ?? "",
  name: span.name,
  kind: span.kind,
  start: BigInt(span.startTimeUnixNano),
  end: BigInt(span.endTimeUnixNano),
  attributes: jsonAttributes(span.attributes),
  events: (span.events ?? []).map((event: Json) => ({
    time: BigInt(event.timeUnixNano),
    name: event.name,
    attributes: jsonAttributes(event.attributes)
  })),
  links: (span.links ?? []).map((link: Json) => ({
    traceId: link.traceId,
    spanId: link.spanId,
    attributes: jsonAttributes(link.attributes)
  })),
  status: { code: span.status?.code ?? 0, message: span.status?.message ?? "" },
  flags: span.flags ?? 0
})

export const fromJson = (text: string): ReadonlyArray<Received> =>
  JSON.parse(text).resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.map(({ scope, spans }: Json) => ({
      resource: jsonAttributes(resource.attributes),
      scope: { name: scope.name, version: scope.version },
      spans: spans.map(jsonSpan)
    }))
  )
