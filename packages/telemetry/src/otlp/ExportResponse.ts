// Reads the response of a collector. It may have another format than the request.
import { Option, Schema } from "effect"

export type Outcome =
  | { readonly _tag: "Accepted"; readonly rejected: number; readonly message: string }
  /** Seconds, if the response has a pause. */
  | { readonly _tag: "Later"; readonly message: string; readonly after: number | undefined }
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "Refused"; readonly message: string }

export interface CollectorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Its beginning. */
  readonly body: Uint8Array
}

const retried: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** Seconds. Longer pauses would lose spans. */
const maxPause = 300

/** The pause that the collector asks for. Without one, or below a second, the exporter makes growing pauses. */
const secondsOf = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - now) / 1000
  return seconds >= 1 ? Math.min(seconds, maxPause) : undefined
}

const decoder = new TextDecoder()

const JsonResponse = Schema.fromJsonString(Schema.Struct({
  partialSuccess: Schema.optionalKey(Schema.NullOr(Schema.Struct({
    rejectedSpans: Schema.optionalKey(Schema.Union([Schema.Finite, Schema.FiniteFromString])),
    errorMessage: Schema.optionalKey(Schema.String)
  })))
}))

const decodeJson = Schema.decodeUnknownOption(JsonResponse)

const JsonProblem = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))

const decodeProblem = Schema.decodeUnknownOption(JsonProblem)

type Field = readonly [number: number, value: number | Uint8Array]

/** The fields of a message. What cannot be read ends them. */
const fieldsOf = (bytes: Uint8Array): ReadonlyArray<Field> => {
  const fields: Array<Field> = []
  let at = 0
  const varint = (): number => {
    let [value, factor] = [0, 1]
    for (; at < bytes.length; factor *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    return value
  }
  while (at < bytes.length) {
    const tag = varint()
    const [field, type] = [Math.floor(tag / 8), tag % 8]
    if (type === 0) fields.push([field, varint()])
    else if (type === 2) {
      const length = varint()
      fields.push([field, bytes.subarray(at, at + length)])
      at += length
    } else return fields
  }
  return fields
}

const bytesIn = (fields: ReadonlyArray<Field>, field: number): Uint8Array | undefined => {
  const value = fields.find(([number]) => number === field)?.[1]
  return typeof value === "object" ? value : undefined
}

const textIn = (fields: ReadonlyArray<Field>, field: number): string => {
  const bytes = bytesIn(fields, field)
  return bytes === undefined ? "" : decoder.decode(bytes)
}

const isJson = ({ body, headers }: CollectorResponse): boolean =>
  headers["content-type"]?.includes("json") ?? body[0] === 0x7b

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, 300)

const partialOf = (response: CollectorResponse): { readonly rejected: number; readonly message: string } => {
  if (isJson(response)) {
    const partial = Option.getOrUndefined(decodeJson(decoder.decode(response.body)))?.partialSuccess
    return { rejected: partial?.rejectedSpans ?? 0, message: oneLine(partial?.errorMessage ?? "") }
  }
  const partial = bytesIn(fieldsOf(response.body), 1)
  if (partial === undefined) return { rejected: 0, message: "" }
  const fields = fieldsOf(partial)
  const rejected = fields.find(([number]) => number === 1)?.[1]
  return { rejected: typeof rejected === "number" ? rejected : 0, message: oneLine(textIn(fields, 2)) }
}

/** The text of the collector, in one line. */
const messageOf = (response: CollectorResponse): string => {
  const type = response.headers["content-type"] ?? ""
  const text = isJson(response)
    ? Option.getOrUndefined(decodeProblem(decoder.decode(response.body)))?.message ?? decoder.decode(response.body)
    : type.includes("protobuf")
    ? textIn(fieldsOf(response.body), 2)
    : decoder.decode(response.body)
  const line = oneLine(text)
  return `it responded with ${response.status}${line === "" ? "" : ` (${line})`}`
}

/** `now`: milliseconds since 1970. */
export const read = (response: CollectorResponse, now: number): Outcome => {
  const { headers, status } = response
  if (status >= 200 && status < 300) return { _tag: "Accepted", ...partialOf(response) }
  if (retried.has(status)) {
    return { _tag: "Later", message: messageOf(response), after: secondsOf(headers["retry-after"], now) }
  }
  const { location } = headers
  if (status >= 300 && status < 400 && location !== undefined) {
    const message = oneLine(`it responded with ${status}, a redirect to ${location}, which is not followed`)
    return { _tag: "Refused", message }
  }
  return status === 413 ? { _tag: "TooLarge" } : { _tag: "Refused", message: messageOf(response) }
}
