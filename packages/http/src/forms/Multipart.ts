// Parses a whole `multipart/form-data` body. A body that is incomplete, or that continues after its end, is refused as
// a whole: the content of one part must never depend on the errors of another one.
import { Errors } from "@svc-runtime/api"
import { ByteSize } from "effect"
import { MultipartParser } from "effect/http"
import type { Content, UploadedFile } from "./FormContent.ts"
import * as PlainMultipart from "./PlainMultipart.ts"

const maxParts = 1000

const refusal = (error: MultipartParser.MultipartError | undefined): Errors.BadRequest | Errors.PayloadTooLarge =>
  error?._tag === "ReachedLimit"
    ? Errors.payloadTooLarge("The form has too many parts, or one that is too large")
    : Errors.badRequest("The multipart body is malformed")

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

type Parsed = Content | Errors.BadRequest | Errors.PayloadTooLarge

export const parse = (body: Uint8Array, headers: Readonly<Record<string, string>>, limit: number): Parsed => {
  const fields = PlainMultipart.parse(body, headers["content-type"] ?? "")
  return fields === undefined ? parseAny(body, headers, limit) : { fields, files: [] }
}

/** Of any body. */
export const parseAny = (body: Uint8Array, headers: Readonly<Record<string, string>>, limit: number): Parsed => {
  const fields: Record<string, string> = Object.create(null)
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
      if (isOpen(info)) fields[info.name] = MultipartParser.decodeField(info, value)
    },
    onFile: (info) => {
      const chunks: Array<Uint8Array> = []
      return (chunk) => {
        if (chunk !== null) chunks.push(chunk)
        else if (isOpen(info)) {
          const { contentType, filename: name = "", name: field } = info
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
  parser.write(body)
  parser.end()
  return failure === undefined && isWhole && hasEnded ? { fields, files } : refusal(failure)
}
