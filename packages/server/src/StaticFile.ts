// Bytes that are the same for every caller: the files of the console and the pages of the documentation. They are
// encoded and compressed once, and all responses share them, so a client that does not read costs no copy.
import { share } from "@svc-runtime/http/logging/RecordedResponse"
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
  readonly tag: string
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
  const tag = `"${createHash("sha256").update(content.bytes).digest("base64url").slice(0, 16)}"`
  return { ...content, isHashed, tag }
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

/** A proxy that compresses a response makes its tag a weak one. */
const isKnown = (tags: string | undefined, tag: string): boolean =>
  tags !== undefined && tags.split(",").some((each) => each.trim().replace(/^W\//, "") === tag)

export const respond = (
  { headers: { "accept-encoding": accepted = "", "if-none-match": known } }: HttpServerRequest.HttpServerRequest,
  { bytes, compressed, contentType, headers, isHashed, tag }: StaticFile
): HttpServerResponse.HttpServerResponse => {
  const always = {
    ...headers,
    etag: tag,
    vary: "accept-encoding",
    "cache-control": isHashed ? `public, max-age=${year}, immutable` : "no-cache"
  }
  if (isKnown(known, tag)) return HttpServerResponse.empty({ status: 304, headers: always })
  const isCompressed = compressed !== undefined && acceptsGzip.test(accepted)
  return HttpServerResponse.uint8Array(isCompressed ? compressed : bytes, {
    contentType,
    headers: isCompressed ? { ...always, "content-encoding": "gzip" } : always
  })
}
