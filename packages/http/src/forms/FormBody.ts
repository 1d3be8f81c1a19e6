// Reads the body of a request that starts or continues a run, or stores a content: a form in either encoding, or JSON
// with the same fields. It is read into memory, within the limits, because its files are stored as one value.
import { Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import type { Limits } from "../Settings.ts"
import * as JsonResponse from "../wire/JsonResponse.ts"
import { collect, type Reading, reservation, type ReservationOptions } from "./BodyBytes.ts"
import { type Content, encodingOf, form, type FormBody, type UploadedFile } from "./FormEncodings.ts"

export type { FormBody, UploadedFile }

export type Refused =
  | Errors.BadRequest
  | Errors.Invalid
  | Errors.PayloadTooLarge
  | Errors.TooManyRequests
  | Errors.UnsupportedMediaType

const empty: Content = { fields: {}, files: [] }

const sha256 = (data: string | Uint8Array) => hash("sha256", data, "hex")

export const fingerprintOf = ({ fields, files }: Content): string =>
  sha256(JSON.stringify([
    Object.entries(fields).toSorted(([left], [right]) => left < right ? -1 : 1),
    files.map(({ bytes, contentType, field, name }) => [field, name, contentType, sha256(bytes)])
  ]))

/** Fields that can be as large as the form, or whose reader has a limit. All others are stored whole with the run. */
const large: ReadonlySet<string> = new Set([
  "message",
  "input",
  "additional_instructions",
  "factory_input",
  "text_content",
  ...Object.keys(RunOption.media)
])

const tooLargeField = ({ fields }: Content, { jsonBody }: Limits): Errors.PayloadTooLarge | undefined => {
  const found = Object.keys(fields).find((name) => !large.has(name) && Buffer.byteLength(fields[name] ?? "") > jsonBody)
  return found === undefined
    ? undefined
    : Errors.payloadTooLarge(`The field '${found}' is larger than ${jsonBody} bytes (MAX_JSON_BYTES)`)
}

/** Text that may look like JSON. */
const texts: ReadonlySet<string> = new Set(["message", "input", "additional_instructions", "text_content"])

const tooManyValues = ({ fields }: Content, { jsonValues }: Limits): Errors.PayloadTooLarge | undefined => {
  const found = Object.keys(fields).find((name) =>
    !texts.has(name) && JsonValues.exceed(fields[name] ?? "", jsonValues)
  )
  return found === undefined
    ? undefined
    : Errors.payloadTooLarge(JsonValues.tooMany(`The field '${found}'`, jsonValues))
}

/** Of a field that is JSON text, or may be. */
const refusedField = ({ fields }: Content): Errors.Invalid | undefined => {
  for (const [name, text] of Object.entries(fields)) {
    const refusal = texts.has(name) ? undefined : Json.refusalOfText(text)
    if (refusal !== undefined) return Errors.invalid([{ loc: ["body", name], ...refusal }])
  }
  return undefined
}

const decoder = new TextDecoder()

const unsupported = () =>
  Errors.unsupportedMediaType(
    "Send multipart/form-data, application/x-www-form-urlencoded or application/json with the same fields"
  )

const read = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  limits: Limits,
  room: Pick<Reading, "arriving" | "reserve">
) {
  const encoding = encodingOf(request)
  if (encoding === undefined) return yield* unsupported()
  const { limit: name, parse, setting } = encoding === "none" ? { ...form, parse: undefined } : encoding
  const limit = limits[name]
  const body = yield* collect({ request, limit, setting, ...room })
  if (name === "jsonBody" && body.length > limits.jsonValues) {
    const isTooMany = JsonValues.exceed(decoder.decode(body), limits.jsonValues)
    if (isTooMany) return yield* Errors.payloadTooLarge(JsonValues.tooMany("The body", limits.jsonValues))
  }
  // A request that needs no fields may come without a body.
  if (parse === undefined && body.length > 0) return yield* unsupported()
  const content = parse === undefined ? empty : yield* parse(body, request.headers, limit)
  const refused = tooLargeField(content, limits) ?? tooManyValues(content, limits) ?? refusedField(content)
  if (refused !== undefined) return yield* refused
  const fingerprint = request.headers["idempotency-key"] === undefined ? "" : fingerprintOf(content)
  return { ...content, fingerprint }
})

/** A body after decoding. Its bytes are released. */
export interface Read<F> {
  readonly form: F
  readonly fingerprint: string
  /** Stops counting the uploaded bytes for this request. */
  readonly release: Effect.Effect<void>
  /** Counts the uploaded bytes while a response repeats them. */
  readonly whileSent: (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
}

export interface Options extends ReservationOptions {
  readonly limits: Limits
}

/** Reads and decodes a body for `use`. The bytes count until `release`, or until the end of `use`. */
export const using = <F, E1, R1, A, E2, R2>(
  { limits, ...options }: Options,
  request: HttpServerRequest.HttpServerRequest,
  decode: (body: FormBody) => Effect.Effect<F, E1, R1>,
  use: (read: Read<F>) => Effect.Effect<A, E2, R2>
): Effect.Effect<A, E1 | E2 | Refused, R1 | R2> =>
  Effect.suspend(() => {
    const { arriving, occupy, release, reserve, size, vacate } = reservation(options)
    const whileSent: Read<F>["whileSent"] = (response) =>
      size() === 0 ? response : JsonResponse.around(response, occupy, vacate)
    // Nothing after this step holds the body: a run may take hours.
    const decoded = Effect.flatMap(
      read(request, limits, { arriving, reserve }),
      (body) =>
        Effect.map(decode(body), (form): Read<F> => ({ form, fingerprint: body.fingerprint, release, whileSent }))
    )
    return Effect.ensuring(Effect.flatMap(decoded, use), release)
  })
