// Reads the body of a request that starts or continues a run: a form in either encoding, or JSON with the same fields.
// It is read into memory, within the limits, because its files become a part of the run's input.
import { Errors } from "@svc/api"
import * as Json from "@svc/domain/Json"
import * as RunOption from "@svc/domain/RunOption"
import { Effect, Option, Schema, Stream } from "effect"
import { HttpServerError, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { IncomingMessage } from "node:http"
import type { ByteBudget } from "../ByteBudget.ts"
import * as JsonAnswer from "../JsonAnswer.ts"
import type { Limits } from "../Settings.ts"
import * as Multipart from "./Multipart.ts"

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

export type Refused =
  | Errors.BadRequest
  | Errors.Invalid
  | Errors.PayloadTooLarge
  | Errors.TooManyRequests
  | Errors.UnsupportedMediaType

type Content = Pick<FormBody, "fields" | "files">

const empty: Content = { fields: {}, files: [] }

/** Bodies up to this size are read without asking whether there is room for them. */
const small = 256 * 1024

const sha256 = (data: string | Uint8Array) => hash("sha256", data, "hex")

export const fingerprintOf = ({ fields, files }: Content): string =>
  sha256(JSON.stringify([
    Object.entries(fields).toSorted(([left], [right]) => left < right ? -1 : 1),
    files.map(({ bytes, contentType, field, name }) => [field, name, contentType, sha256(bytes)])
  ]))

const parseUrlEncoded = (body: Uint8Array): Content => {
  const fields: Record<string, string> = Object.create(null)
  // A question mark in front belongs to the first name; `URLSearchParams` would take it for the start of a query.
  const text = new TextDecoder().decode(body).replace(/^\?/, "%3F")
  for (const [name, value] of new URLSearchParams(text)) fields[name] = value
  return { fields, files: [] }
}

const invalid = (msg: string, type: string) => Errors.invalid([{ loc: ["body"], msg, type }])

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Values other than strings are written as a form has them. Null means absent. */
const parseJson = (body: Uint8Array): Content | Errors.Invalid => {
  const parsed = decodeJson(new TextDecoder().decode(body))
  if (Option.isNone(parsed)) return invalid("JSON decode error", "json_invalid")
  const value = parsed.value as Json.Value
  if (!Json.isShallow(value)) return invalid(Json.tooDeep, "json_too_deep")
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid("Input should be a valid object", "dict_type")
  }
  const fields: Record<string, string> = Object.create(null)
  for (const [name, given] of Object.entries(value as Json.Object)) {
    if (given !== null) fields[name] = typeof given === "string" ? given : JSON.stringify(given)
  }
  return { fields, files: [] }
}

/** Fields that can be as large as the form, or whose reader has a limit. All others are stored whole with the run. */
const large: ReadonlySet<string> = new Set([
  "message",
  "input",
  "additional_instructions",
  "factory_input",
  ...Object.keys(RunOption.media)
])

const tooLargeField = ({ fields }: Content, { jsonBody }: Limits): Errors.PayloadTooLarge | undefined => {
  const found = Object.keys(fields).find((name) => !large.has(name) && Buffer.byteLength(fields[name] ?? "") > jsonBody)
  return found === undefined
    ? undefined
    : Errors.payloadTooLarge(`The field '${found}' is larger than ${jsonBody} bytes (MAX_JSON_BYTES)`)
}

interface Encoding {
  readonly limit: keyof Pick<Limits, "formBody" | "jsonBody">
  readonly setting: string
  readonly parse: (
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    limit: number
  ) => Content | Errors.BadRequest | Errors.Invalid | Errors.PayloadTooLarge
}

const form = { limit: "formBody", setting: "MAX_FORM_BYTES" } as const

const encodings: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ["multipart/form-data", { ...form, parse: Multipart.parse }],
  ["application/x-www-form-urlencoded", { ...form, parse: parseUrlEncoded }],
  ["application/json", { limit: "jsonBody", setting: "MAX_JSON_BYTES", parse: parseJson }]
])

const unsupported = () =>
  Errors.unsupportedMediaType(
    "Send multipart/form-data, application/x-www-form-urlencoded or application/json with the same fields"
  )

const tooLarge = (limit: number, setting: string) =>
  Errors.payloadTooLarge(`The body is larger than ${limit} bytes (${setting})`)

const noRoom = () =>
  Effect.fail(
    Errors.tooManyRequests("Too many bytes are uploaded at once (MAX_UPLOAD_BYTES_IN_FLIGHT). Try again shortly.")
  )

const isTooLarge = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError" &&
  error.reason.reason === "BodyTooLarge"

const lengthOf = ({ headers }: HttpServerRequest.HttpServerRequest): number | undefined => {
  const text = headers["content-length"]
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

/** A request without a body has no stream of one. */
const bytesOf = ({ source, stream }: HttpServerRequest.HttpServerRequest) =>
  source instanceof Request && source.body === null ? Stream.empty : stream

interface Reading {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly limit: number
  readonly setting: string
  /** Returns when there is room for so many bytes. */
  readonly reserve: (bytes: number) => Effect.Effect<void, Errors.TooManyRequests>
}

/** The memory of a body. With a `Content-Length` it is allocated at once, so that nothing is copied later. */
const memoryOf = (declared: number | undefined) => {
  const chunks: Array<Uint8Array> = []
  let whole: Buffer | undefined
  let size = 0
  return {
    size: () => size,
    add: (chunk: Uint8Array) => {
      if (whole !== undefined && size + chunk.length <= whole.length) whole.set(chunk, size)
      else chunks.push(chunk)
      size += chunk.length
    },
    /** There is room for a large body. */
    extend: () => {
      if (declared === undefined || size > declared) return
      whole = Buffer.allocUnsafeSlow(declared)
      let at = 0
      for (const chunk of chunks.splice(0)) {
        whole.set(chunk, at)
        at += chunk.length
      }
    },
    bytes: () => whole === undefined || size !== whole.length ? Buffer.concat(chunks) : whole
  }
}

const unreadable = ({ limit, setting }: Reading) => (error: HttpServerError.HttpServerError) =>
  Effect.fail(isTooLarge(error) ? tooLarge(limit, setting) : Errors.badRequest("The body could not be read"))

/** The bytes of a body that declares a small size: no stream is needed. */
const collectSmall = (reading: Reading) =>
  reading.request.arrayBuffer.pipe(
    Effect.map((bytes) => new Uint8Array(bytes)),
    Effect.catchTag("HttpServerError", unreadable(reading))
  )

/** The bytes of a body. A large one counts from its first bytes on: `Content-Length` alone reserves nothing. */
const collectLarge = Effect.fnUntraced(function*(reading: Reading, declared: number | undefined) {
  const { limit, request, reserve, setting } = reading
  let isReserved = false
  const memory = memoryOf(declared)
  yield* Stream.runForEach(
    bytesOf(request),
    (chunk) =>
      Effect.suspend((): Effect.Effect<void, Errors.PayloadTooLarge | Errors.TooManyRequests> => {
        memory.add(chunk)
        if (memory.size() > limit) return Effect.fail(tooLarge(limit, setting))
        if (isReserved || memory.size() <= small) return Effect.void
        isReserved = true
        return Effect.andThen(reserve(declared ?? limit), Effect.sync(memory.extend))
      })
  ).pipe(Effect.catchTag("HttpServerError", unreadable(reading)))
  return memory.bytes()
})

const collect = Effect.fnUntraced(function*(reading: Reading) {
  const declared = lengthOf(reading.request)
  if (declared !== undefined && declared > reading.limit) return yield* tooLarge(reading.limit, reading.setting)
  const isSmall = declared !== undefined && declared <= small && reading.request.source instanceof IncomingMessage
  const bytes = yield* isSmall ? collectSmall(reading) : collectLarge(reading, declared)
  if (declared !== undefined && declared !== bytes.length) {
    return yield* Errors.badRequest("The body does not match its Content-Length")
  }
  return bytes
})

const encodingOf = (request: HttpServerRequest.HttpServerRequest): Encoding | "none" | undefined => {
  const type = request.headers["content-type"]
  if (type === undefined) return "none"
  return encodings.get((type.split(";")[0] ?? "").trim().toLowerCase())
}

const read = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  limits: Limits,
  reserve: Reading["reserve"]
) {
  const encoding = encodingOf(request)
  if (encoding === undefined) return yield* unsupported()
  const { limit: name, parse, setting } = encoding === "none" ? { ...form, parse: undefined } : encoding
  const limit = limits[name]
  const body = yield* collect({ request, limit, setting, reserve })
  // A request that needs no fields may come without a body.
  const content = parse === undefined
    ? (body.length === 0 ? empty : unsupported())
    : parse(body, request.headers, limit)
  if (!("fields" in content)) return yield* Effect.fail(content)
  const oversized = tooLargeField(content, limits)
  if (oversized !== undefined) return yield* oversized
  const fingerprint = request.headers["idempotency-key"] === undefined ? "" : fingerprintOf(content)
  return { ...content, fingerprint }
})

/** A body after decoding. Its bytes are released. */
export interface Read<F> {
  readonly form: F
  readonly fingerprint: string
  /** Stops counting the uploaded bytes for this request. */
  readonly release: Effect.Effect<void>
  /** Counts the uploaded bytes while an answer repeats them. */
  readonly whileSent: (answer: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
}

export interface Options {
  readonly budget: ByteBudget
  /** Whose share of the budget the body takes. */
  readonly caller: string
  readonly limits: Limits
}

/** Reads and decodes a body for `use`. The bytes count until `release`, or until the end of `use`. */
export const using = <F, E1, R1, A, E2, R2>(
  { budget, caller, limits }: Options,
  request: HttpServerRequest.HttpServerRequest,
  decode: (body: FormBody) => Effect.Effect<F, E1, R1>,
  use: (read: Read<F>) => Effect.Effect<A, E2, R2>
): Effect.Effect<A, E1 | E2 | Refused, R1 | R2> =>
  Effect.suspend(() => {
    let [taken, size] = [0, 0]
    const reserve = (bytes: number) =>
      bytes <= small ?
        Effect.void :
        Effect.uninterruptibleMask((restore) =>
          Effect.tap(restore(budget.take(caller, bytes, noRoom)), () =>
            Effect.sync(() => {
              taken = bytes
              size = bytes
            }))
        )
    const release = Effect.sync(() => {
      if (taken > 0) budget.release(caller, taken)
      taken = 0
    })
    const occupy = Effect.sync(() => budget.occupy(caller, size))
    const vacate = Effect.sync(() => budget.release(caller, size))
    const whileSent: Read<F>["whileSent"] = (answer) => size === 0 ? answer : JsonAnswer.around(answer, occupy, vacate)
    // Nothing after this step holds the body: a run may take hours.
    const decoded = Effect.flatMap(read(request, limits, reserve), (body) =>
      Effect.map(decode(body), (form): Read<F> => ({ form, fingerprint: body.fingerprint, release, whileSent })))
    return Effect.ensuring(Effect.flatMap(decoded, use), release)
  })
