// Bytes that are the same for every caller: the files of the console and the pages of the documentation. They are
// encoded and compressed once, and all responses share them, so a client that does not read costs no copy.
import { share } from "@svc-runtime/http/logging/RecordedResponse"
import * as EntityTag from "@svc-runtime/http/wire/EntityTag"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

export interface StaticFile {
  readonly contentType: string
  readonly bytes: Uint8Array
  /** Compressed by gzip. */
  readonly compressed: Uint8Array | undefined
  /** A strong tag of each form. */
  readonly tag: string
  readonly compressedTag: string
  /** Whether the name changes with the bytes. */
  readonly isHashed: boolean
  /** Headers of each response with the file. */
  readonly headers: Readonly<Record<string, string>>
}

export interface Content extends Pick<StaticFile, "contentType" | "bytes" | "compressed" | "headers"> {
  readonly isHashed?: boolean | undefined
}

export const make = ({ isHashed = false, ...content }: Content): StaticFile => {
  for (const bytes of [content.bytes, content.compressed]) if (bytes !== undefined) share(bytes)
  const hash = createHash("sha256").update(content.bytes).digest("base64url").slice(0, 16)
  return { ...content, isHashed, tag: `"${hash}"`, compressedTag: `"${hash}-gzip"` }
}

const compress = promisify(gzip)

/** A file of a text that is made by this process. */
export const ofText = (
  text: string,
  { contentType, headers }: Pick<Content, "contentType" | "headers">
): Effect.Effect<StaticFile> =>
  Effect.map(
    Effect.promise(() => compress(text)),
    (compressed) => make({ contentType, headers, bytes: Buffer.from(text), compressed })
  )

const year = 365 * 24 * 60 * 60

const acceptsGzip = /(?:^|[\s,])gzip\s*(?:,|$|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i

export const respond = (
  { headers: sent }: HttpServerRequest.HttpServerRequest,
  { bytes, compressed, compressedTag, contentType, headers, isHashed, tag }: StaticFile
): HttpServerResponse.HttpServerResponse => {
  const isCompressed = compressed !== undefined && acceptsGzip.test(sent["accept-encoding"] ?? "")
  const etag = isCompressed ? compressedTag : tag
  const always = {
    ...headers,
    etag,
    vary: "accept-encoding",
    "cache-control": isHashed ? `public, max-age=${year}, immutable` : "no-cache"
  }
  if (EntityTag.isKnown(sent, etag)) return HttpServerResponse.empty({ status: 304, headers: always })
  return HttpServerResponse.uint8Array(isCompressed ? compressed : bytes, {
    contentType,
    headers: isCompressed ? { ...always, "content-encoding": "gzip" } : always
  })
}
