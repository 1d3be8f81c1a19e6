// The encodings of a form: how a body becomes fields and files.
import { Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import { ByteSize, Effect, Option, Schema } from "effect"
import { type HttpServerRequest, MultipartParser } from "effect/http"
import { isUtf8 } from "node:buffer"
import type { Limits } from "../Settings.ts"

/** So many bytes are read at once. Between them other requests have their turn. */
const slice = 256 * 1024

// Parses a whole `multipart/form-data` body. A body that is incomplete, or that continues after its end, is refused as
// a whole: the content of one part must never depend on the errors of another one.

// Reads the `multipart/form-data` bodies that most clients send: text fields with no other header than their name. The
// parser of the library builds tables for each body and costs more than the rest of the request's decoding.

type RequestHeaders = Readonly<Record<string, string>>

const multipartType = /^multipart\/form-data; ?boundary=([\w'+.~-]{1,70})$/
const partHead = "Content-Disposition: form-data; name=\""
const endOfPartHead = "\"\r\n\r\n"
const simpleName = /^[\w-]{1,64}$/
const ascii = /^[\0-\x7f]*$/

/** Larger bodies have large values, for which the parser costs little. */
const maxPlainBytes = 64 * 1024

const maxPlainFields = 100

const utf8 = new TextDecoder()

const notText = (field: string) =>
  Errors.invalid([{ loc: ["body", field], msg: "Input should be text in UTF-8", type: "string_unicode" }])

/** The fields of a body of plain text fields. Undefined for any other body, which may be well-formed too. */
export const parsePlain = (body: Uint8Array, headers: RequestHeaders): Record<string, string> | undefined => {
  const boundary = multipartType.exec(headers["content-type"] ?? "")?.[1]
  if (boundary === undefined || body.length > maxPlainBytes) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // one character for each byte
  const text = bytes.toString("latin1")
  const delimiter = `\r\n--${boundary}`
  if (!text.startsWith(delimiter.slice(2))) return undefined
  const fields: Record<string, string> = Object.create(null)
  let at = delimiter.length - 2
  for (let count = 0; count < maxPlainFields; count++) {
    if (text.startsWith("--", at)) return at + 2 === text.length || text.slice(at + 2) === "\r\n" ? fields : undefined
    if (!text.startsWith("\r\n", at) || !text.startsWith(partHead, at + 2)) return undefined
    const nameAt = at + 2 + partHead.length
    const nameEnd = text.indexOf("\"", nameAt)
    const name = nameEnd === -1 ? "" : text.slice(nameAt, nameEnd)
    if (!simpleName.test(name) || !text.startsWith(endOfPartHead, nameEnd)) return undefined
    const start = nameEnd + endOfPartHead.length
    // the end of the head may belong to a delimiter
    const end = text.indexOf(delimiter, start - 2)
    if (end < start) return undefined
    const value = text.slice(start, end)
    const isAscii = ascii.test(value)
    if (!isAscii && !isUtf8(bytes.subarray(start, end))) return undefined
    fields[name] = isAscii ? value : utf8.decode(bytes.subarray(start, end))
    at = end + delimiter.length
  }
  return undefined
}

const maxParts = 1000

/** The parser searches on after delimiters without parts, of which a body can have millions: they are counted first. */
const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i

/** Counts up to `most` from the beginning to a place. What it counts can begin before an earlier place. */
const counting = (body: Uint8Array, separator: Uint8Array, most: number) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let [count, at] = [0, 0]
  return (end: number): number => {
    const read = bytes.subarray(0, end)
    for (let found = read.indexOf(separator, at); found !== -1 && count < most; count++) {
      at = found + separator.length
      found = read.indexOf(separator, at)
    }
    at = Math.max(at, end + 1 - separator.length)
    return count
  }
}

const tooManyParts = () => Errors.payloadTooLarge("The form has too many parts, or one that is too large")

const refusal = (error: MultipartParser.MultipartError | undefined): Errors.BadRequest | Errors.PayloadTooLarge =>
  error?._tag === "ReachedLimit"
    ? tooManyParts()
    : Errors.badRequest("The multipart body is malformed")

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

const parseMultipart = (body: Uint8Array, headers: RequestHeaders, limit: number) => {
  const fields = parsePlain(body, headers)
  return fields === undefined ? parseAnyMultipart(body, headers, limit) : Effect.succeed({ fields, files: [] })
}

/** Of any body. */
export const parseAnyMultipart = Effect.fnUntraced(function*(
  body: Uint8Array,
  headers: RequestHeaders,
  limit: number
): Effect.fn.Return<Content, Errors.BadRequest | Errors.Invalid | Errors.PayloadTooLarge> {
  const fields: Record<string, string> = Object.create(null)
  let damaged: string | undefined
  const files: Array<UploadedFile> = []
  let failure: MultipartParser.MultipartError | undefined
  let isWhole = true
  let hasEnded = false
  /**
   * The part whose headers were read last. A part without headers, or one behind the end of the form, is reported under
   * those of another part.
   */
  let open: MultipartParser.PartInfo | undefined

  const isOpen = (info: MultipartParser.PartInfo | undefined): info is MultipartParser.PartInfo => {
    const isIt = info !== undefined && info === open
    open = undefined
    if (!isIt) isWhole = false
    return isIt
  }

  const parser = MultipartParser.make({
    headers: headers as Record<string, string>,
    maxParts,
    maxFieldSize: ByteSize.bytes(limit),
    maxPartSize: ByteSize.bytes(limit),
    isFile: (info) => {
      open = info
      return MultipartParser.defaultIsFile(info)
    },
    onField: (info, value) => {
      if (!isOpen(info)) return
      // a part can name another charset
      if (info.contentTypeParameters["charset"] === undefined && !isUtf8(value)) damaged ??= info.name
      fields[info.name] = MultipartParser.decodeField(info, value)
    },
    onFile: (info) => {
      const chunks: Array<Uint8Array> = []
      return (chunk) => {
        if (chunk !== null) chunks.push(chunk)
        else if (isOpen(info)) {
          const { contentType: type, contentTypeParameters: { charset }, filename: name = "", name: field } = info
          const contentType = charset === undefined ? type : `${type}; charset=${charset}`
          files.push({ field, name, contentType, bytes: concat(chunks) })
        }
      }
    },
    // Text after the end of the form is not a part.
    onError: (error) => {
      if (!hasEnded) failure ??= error
    },
    onDone: () => {
      hasEnded = true
    }
  })
  const [, quoted, plain] = boundary.exec(headers["content-type"] ?? "") ?? []
  const delimiters = counting(body, Buffer.from(`\r\n--${quoted ?? plain}`), maxParts + 2)
  const isRefused = () => failure !== undefined || !isWhole
  // the rest of a refused body is not read
  for (let at = 0; at < body.length && !isRefused(); at += slice) {
    if (at > 0) yield* Effect.yieldNow
    if (delimiters(at + slice) > maxParts + 1) return yield* tooManyParts()
    parser.write(body.subarray(at, at + slice))
  }
  parser.end()
  if (damaged !== undefined) return yield* notText(damaged)
  return hasEnded && !isRefused() ? { fields, files } : yield* refusal(failure)
})

// Decodes `application/x-www-form-urlencoded` from its bytes. `URLSearchParams` takes seconds for a text of many
// megabytes with escapes, in which the node does nothing else, and damages texts that mix escapes with other letters.

const [ampersand, equals, percent, plus, space] = ["&", "=", "%", "+", " "].map((character) =>
  character.charCodeAt(0)
) as [number, number, number, number, number]

const digits = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16)
  return Number.isNaN(digit) ? -1 : digit
})

/** The value of a hexadecimal digit, -1 for other bytes. */
const digitOf = (byte: number | undefined): number => digits[byte ?? 0] ?? -1

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Names and values in their order. */
export const parsePairs = Effect.fnUntraced(function*(
  body: Uint8Array
): Effect.fn.Return<ReadonlyArray<readonly [name: string, value: string]>, Errors.Invalid> {
  let damaged: string | undefined
  const pairs: Array<readonly [name: string, value: string]> = []
  const decoded = Buffer.allocUnsafe(body.length)
  let [at, start, end] = [0, 0, 0]
  let name: string | undefined
  const take = () => {
    const bytes = decoded.subarray(start, end)
    const text = decoder.decode(bytes)
    if (!isUtf8(bytes)) damaged ??= name ?? text
    start = end
    return text
  }
  const add = () => {
    if (name !== undefined) pairs.push([name, take()])
    else if (end > start) pairs.push([take(), ""])
    name = undefined
  }
  const readUntil = (stop: number) => {
    for (; at < stop; at++) {
      const byte = body[at] ?? 0
      if (byte === ampersand) add()
      else if (byte === equals && name === undefined) name = take()
      else if (byte === percent) {
        const [high, low] = [digitOf(body[at + 1]), digitOf(body[at + 2])]
        if (high >= 0 && low >= 0) {
          decoded[end++] = high * 16 + low
          at += 2
        } else decoded[end++] = byte
      } else decoded[end++] = byte === plus ? space : byte
    }
  }
  for (let stop = slice; at < body.length; stop += slice) {
    if (at > 0) yield* Effect.yieldNow
    readUntil(Math.min(stop, body.length))
  }
  add()
  return damaged === undefined ? pairs : yield* notText(damaged)
})

// The content of a body after it is decoded, whatever its encoding.

export interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface FormBody {
  /** The last value of a field that is given more than once. */
  readonly fields: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<UploadedFile>
  /** The same for the same fields and files, whatever their order and encoding. Of requests with an idempotency key. */
  readonly fingerprint: string
}

export type Content = Pick<FormBody, "fields" | "files">

/** The time to read a form grows with its fields, whatever their size. */
const maxFields = 20_000

const tooManyFields = () => Errors.payloadTooLarge(`The form has more than ${maxFields} fields`)

const parseUrlEncoded = Effect.fnUntraced(function*(
  body: Uint8Array
): Effect.fn.Return<Content, Errors.Invalid | Errors.PayloadTooLarge> {
  if (counting(body, Buffer.from("&"), maxFields)(body.length) === maxFields) return yield* tooManyFields()
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of yield* parsePairs(body)) fields[name] = value
  return { fields, files: [] }
})

const invalid = (msg: string, type: string) => Errors.invalid([{ loc: ["body"], msg, type }])

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Values other than strings are written as a form has them. Null means absent. */
export const fieldsOf = (value: Json.Object): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, given] of Object.entries(value)) {
    if (given !== null) fields[name] = typeof given === "string" ? given : JSON.stringify(given)
  }
  return fields
}

const parseJson = Effect.fnUntraced(function*(
  body: Uint8Array
): Effect.fn.Return<Content, Errors.Invalid | Errors.PayloadTooLarge> {
  const parsed = isUtf8(body) ? decodeJson(utf8.decode(body)) : Option.none()
  if (Option.isNone(parsed)) return yield* invalid("JSON decode error", "json_invalid")
  const value = parsed.value as Json.Value
  const refusal = Json.refusalOf(value)
  if (refusal !== undefined) return yield* invalid(refusal.msg, refusal.type)
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return yield* invalid("Input should be a valid object", "dict_type")
  }
  if (Object.keys(value).length > maxFields) return yield* tooManyFields()
  return { fields: fieldsOf(value as Json.Object), files: [] }
})

interface Encoding {
  readonly limit: keyof Pick<Limits, "formBody" | "jsonBody">
  readonly setting: string
  readonly parse: (
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    limit: number
  ) => Effect.Effect<Content, Errors.BadRequest | Errors.Invalid | Errors.PayloadTooLarge>
}

export const form = { limit: "formBody", setting: "MAX_FORM_BYTES" } as const

const encodings: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ["multipart/form-data", { ...form, parse: parseMultipart }],
  ["application/x-www-form-urlencoded", { ...form, parse: parseUrlEncoded }],
  ["application/json", { limit: "jsonBody", setting: "MAX_JSON_BYTES", parse: parseJson }]
])

export const encodingOf = (request: HttpServerRequest.HttpServerRequest): Encoding | "none" | undefined => {
  const type = request.headers["content-type"]
  if (type === undefined) return "none"
  return encodings.get((type.split(";")[0] ?? "").trim().toLowerCase())
}
