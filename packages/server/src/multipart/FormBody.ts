// Reads the body of a form, whichever of the two encodings it comes in. Everything is read into memory, within the
// limit: a form's files end up in the run's input anyway, and a temporary directory per request costs more than the run.
import { Errors } from "@svc/api"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest, MultipartParser } from "effect/http"

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
}

const maximumParts = 1000

const isMultipart = (contentType: string) => contentType.startsWith("multipart/form-data")
const isUrlEncoded = (contentType: string) => contentType.startsWith("application/x-www-form-urlencoded")

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const refusal = (error: MultipartParser.MultipartError): Errors.BadRequest | Errors.PayloadTooLarge =>
  error._tag === "ReachedLimit"
    ? Errors.payloadTooLarge("The form has too many parts, or one that is too large")
    : Errors.badRequest("The multipart body is malformed")

const parseMultipart = (
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  limit: number
): FormBody | Errors.BadRequest | Errors.PayloadTooLarge => {
  const fields: Record<string, string> = Object.create(null)
  const files: Array<UploadedFile> = []
  let failure: MultipartParser.MultipartError | undefined
  const parser = MultipartParser.make({
    headers: headers as Record<string, string>,
    maxParts: maximumParts,
    maxFieldSize: ByteSize.bytes(limit),
    maxPartSize: ByteSize.bytes(limit),
    onField: (info, value) => {
      fields[info.name] = MultipartParser.decodeField(info, value)
    },
    onFile: (info) => {
      const chunks: Array<Uint8Array> = []
      return (chunk) => {
        if (chunk !== null) chunks.push(chunk)
        else {
          files.push({
            field: info.name,
            name: info.filename ?? "",
            contentType: info.contentType,
            bytes: concat(chunks)
          })
        }
      }
    },
    onError: (error) => {
      failure ??= error
    },
    onDone: () => {}
  })
  parser.write(body)
  parser.end()
  return failure === undefined ? { fields, files } : refusal(failure)
}

const parseUrlEncoded = (body: Uint8Array): FormBody => {
  const fields: Record<string, string> = Object.create(null)
  // A question mark in front belongs to the first name; `URLSearchParams` would take it for the start of a query.
  const text = new TextDecoder().decode(body).replace(/^\?/, "%3F")
  for (const [name, value] of new URLSearchParams(text)) fields[name] = value
  return { fields, files: [] }
}

const unreadable = (error: HttpServerError.HttpServerError, limit: number) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? Errors.payloadTooLarge(`The body is larger than ${limit} bytes`)
    : Errors.badRequest("The body could not be read")

/** A body of another type has no fields: what is required is then reported as missing, as the contract says. */
export const read = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.fn.Return<FormBody, Errors.BadRequest | Errors.PayloadTooLarge> {
  const contentType = (request.headers["content-type"] ?? "").toLowerCase()
  const buffer = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
    Effect.mapError((error) => unreadable(error, limit))
  )
  const body = new Uint8Array(buffer)
  if (isMultipart(contentType)) {
    const form = parseMultipart(body, request.headers, limit)
    return "fields" in form ? form : yield* Effect.fail(form)
  }
  return isUrlEncoded(contentType) ? parseUrlEncoded(body) : { fields: {}, files: [] }
})
