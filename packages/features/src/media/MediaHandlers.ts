// The bytes of media. A medium of another user is not found.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { firstFound } from "@svc-runtime/agents/database/firstFound"
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { Errors } from "@svc-runtime/api"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { partBytes, type StoredMedium } from "@svc-runtime/engine/media/StoredMedium"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as EntityTag from "@svc-runtime/http/wire/EntityTag"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Stream } from "effect"
import { type Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Media as Endpoints } from "./MediaApi.ts"

// Responds with the bytes of a medium, all of them or a range. What a model made is never a page of the service:
// browsers show only images, sound and videos, and save everything else.

// The range of bytes that a request asks for (RFC 9110, section 14). One range; several get all bytes.

interface ByteRange {
  readonly start: number
  /** Not part byteRangeOf the range. */
  readonly end: number
}

const single = /^bytes=(\d{0,15})-(\d{0,15})$/i

/** "none" for a range that the medium does not have. Undefined: all bytes. */
const byteRangeOf = (headers: Headers.Headers, size: number, tag: string): ByteRange | "none" | undefined => {
  const [, first, last] = single.exec(headers["range"]?.trim() ?? "") ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined
  const condition = headers["if-range"]
  if (condition !== undefined && condition.trim() !== tag) return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "none" : { start: size - length, end: size }
  }
  if (last !== "" && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return "none"
  return { start: Number(first), end: last === "" ? size : Math.min(Number(last) + 1, size) }
}

/** Types without scripts. SVG has some. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+)(;[a-z0-9-]+=[a-z0-9._-]+)*$/

const guards = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-site"
}

type ReadPart = (part: number) => Effect.Effect<Option.Option<Uint8Array>, StorageUnavailable>

/** Each part is read when the connection takes it. */
const bytesOf = ({ end, start }: ByteRange, readPart: ReadPart) => {
  const first = Math.floor(start / partBytes)
  const count = end === start ? 0 : Math.floor((end - 1) / partBytes) - first + 1
  return Stream.fromIterable(Array.from({ length: count }, (_, place) => first + place)).pipe(
    Stream.mapEffect((part) =>
      Effect.map(Effect.flatMap(readPart(part), Effect.fromOption), (bytes) => {
        const offset = part * partBytes
        return bytes.subarray(Math.max(0, start - offset), end - offset)
      })
    )
  )
}

const of = (headers: Headers.Headers, medium: StoredMedium, readPart: ReadPart) => {
  const { id, mime_type, size } = medium
  const tag = `"${id}"`
  const lasting = { etag: tag, "cache-control": "private, no-cache", ...guards }
  if (EntityTag.isKnown(headers, tag)) return HttpServerResponse.empty({ status: 304, headers: lasting })
  const range = byteRangeOf(headers, size, tag)
  if (range === "none") {
    const { detail, error_code } = new Errors.RangeNotSatisfiable({
      detail: `The medium has ${size} bytes, and none in this range`,
      error_code: "BAD_REQUEST"
    })
    const headers = { "content-range": `bytes */${size}`, ...guards }
    return HttpServerResponse.jsonUnsafe({ detail, error_code }, { status: 416, headers })
  }
  const { end, start } = range ?? { start: 0, end: size }
  const isShown = shown.test(mime_type)
  return HttpServerResponse.stream(bytesOf({ start, end }, readPart), {
    status: range === undefined ? 200 : 206,
    contentType: isShown ? mime_type : "application/octet-stream",
    contentLength: end - start,
    headers: {
      ...lasting,
      "accept-ranges": "bytes",
      "content-disposition": `${isShown ? "inline" : "attachment"}; filename="${id.slice(0, 16)}"`,
      ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${size}` })
    }
  })
}

export const Media = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const served = yield* ServedDatabases
    const choose = chooseDatabase(yield* Databases)

    return handlers.handleAll({
      get: Effect.fn("Media.get")(function*({ params: { media_id }, query: { db_id, user_id } }) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const owner = yield* RequestCaller.ownerOf(user_id)
        const ids = db_id === undefined ? served.ids : [(yield* choose({ db_id })).id]
        const found = yield* firstFound(served, ids, ({ database: { media } }) =>
          Effect.map(
            media.find(media_id, owner),
            Option.map((medium) => ({ medium, media }))
          ))
        if (Option.isNone(found)) return yield* Errors.notFound(`Medium with id '${media_id}' not found`)
        const { media, medium } = found.value
        return of(headers, medium, (part) => media.readPart(medium, part, owner))
      }, orUnavailable)
    })
  })
)
