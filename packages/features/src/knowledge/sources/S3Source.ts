// Contents of a bucket of S3, or of a service that is compatible with it.
import type * as ContentSource from "@svc-runtime/domain/ContentSource"
import { formatMillis } from "@svc-runtime/domain/Time"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Clock, DateTime, Effect, Redacted } from "effect"
import { createHash, createHmac } from "node:crypto"
import type { ListRequest, Source } from "../ContentSource.ts"
import * as SourceClient from "./SourceClient.ts"
import { all, maxEntries, sizeOf, textOf } from "./xml.ts"

// Signature Version 4 of requests without a body, as S3 and the services that are compatible with it verify it.

interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
  readonly region: string
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest()

/** The headers of a GET request. The URL is encoded as RFC 3986 says, and its query is sorted. */
const headersOf = (url: URL, credentials: Credentials, millis: number): Readonly<Record<string, string>> => {
  const { accessKeyId, region, secretAccessKey, sessionToken } = credentials
  const time = DateTime.formatIso(DateTime.makeUnsafe(millis)).replace(/[-:]|\.\d{3}/g, "")
  const day = time.slice(0, 8)
  const payload = sha256("")
  const sent = {
    "x-amz-content-sha256": payload,
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken })
  }
  const signed = Object.entries({ host: url.host, ...sent })
  const names = signed.map(([name]) => name).join(";")
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("")
  const canonical = ["GET", url.pathname, url.search.slice(1), lines, names, payload].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), "s3"), "aws4_request")
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex")
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  }
}

// The responses of ListObjectsV2, and the errors of S3, as XML.

const nameOf = (key: string, delimiter: string): string =>
  key.slice(delimiter === "" ? 0 : key.lastIndexOf(delimiter) + delimiter.length)

/** A file, and what changes with its content. */
interface Entry {
  readonly file: ContentSource.File
  readonly version: string
}

const entryOf = (xml: string): Entry => {
  const key = textOf(xml, "Key") ?? ""
  const size = sizeOf(textOf(xml, "Size"))
  const modified = textOf(xml, "LastModified") ?? ""
  const millis = Date.parse(modified)
  return {
    file: {
      key,
      name: nameOf(key, "/"),
      size,
      last_modified: Number.isNaN(millis) ? null : formatMillis(millis),
      content_type: null
    },
    version: textOf(xml, "ETag") ?? `${size} ${modified}`
  }
}

const folderOf = (prefix: string, delimiter: string): ContentSource.Folder => ({
  prefix,
  name: nameOf(delimiter === "" ? prefix : prefix.slice(0, -delimiter.length), delimiter),
  is_empty: false
})

interface Page {
  readonly folders: ReadonlyArray<ContentSource.Folder>
  readonly files: ReadonlyArray<Entry>
  /** Undefined: there is no other page. */
  readonly next: string | undefined
  /** Whether there are more entries than are read. */
  readonly isTooLong: boolean
}

/** Undefined: it is no list, or not all of it. Keys that end in `/` mark folders, and are no files. */
const parse = (xml: string, delimiter: string): Page | undefined => {
  if (!xml.includes("<ListBucketResult") || !xml.includes("</ListBucketResult>")) return undefined
  const next = textOf(xml, "IsTruncated") === "true" ? textOf(xml, "NextContinuationToken") ?? "" : undefined
  if (next === "") return undefined
  const [folders, files] = [
    all(xml, "CommonPrefixes", maxEntries + 1),
    all(xml, "Contents", maxEntries + 1)
  ]
  return {
    folders: folders.map((entry) => folderOf(textOf(entry, "Prefix") ?? "", delimiter)),
    files: files.map(entryOf).filter(({ file: { key } }) => key !== "" && !key.endsWith("/")),
    next,
    isTooLong: Math.max(folders.length, files.length) > maxEntries
  }
}

export interface Options extends SourceClient.SourceOptions {
  /** The name of the bucket. */
  readonly bucket: string
  /** The region of the bucket. Default: `us-east-1`. */
  readonly region?: string | undefined
  /** The id of an access key that may list and read the bucket. */
  readonly accessKeyId: string
  /** The secret of the access key. */
  readonly secretAccessKey: string | Redacted.Redacted
  /** The token of temporary credentials. Default: none. */
  readonly sessionToken?: string | Redacted.Redacted | undefined
  /** Of a compatible service: `https://minio.example:9000`. Default: S3 in the region. */
  readonly endpoint?: string | undefined
}

/** A bucket with a dot has no certificate of its own. */
const baseOf = (
  { bucket, endpoint, region }: Options & { readonly region: string },
  invalid: (text: string) => Error
) => {
  const isHost = endpoint === undefined && !bucket.includes(".")
  const host = `https://${isHost ? `${bucket}.` : ""}s3.${region}.amazonaws.com`
  const url = SourceClient.urlOf(endpoint ?? host, invalid)
  return isHost ? url.origin : `${url.href.replace(/(?<!\/)\/+$/, "")}/${bucket}`
}

/** Temporary credentials that ended, or were never right, are 400. */
const isExpired = (code: string | undefined) => code === "ExpiredToken" || code === "InvalidToken"

const kinds: AuthorOptions.Kinds<Exclude<keyof Options, keyof SourceClient.SourceOptions>> = {
  bucket: "text",
  region: "text",
  accessKeyId: "text",
  secretAccessKey: "secret",
  sessionToken: "secret",
  endpoint: "text"
}

/**
 * A bucket. Throws an `Error` if an option is invalid.
 *
 * ```ts
 * import { Knowledge, S3Source } from "@svc-runtime/server"
 *
 * const wiki = S3Source.make({
 *   id: "wiki",
 *   bucket: "wiki",
 *   region: "eu-central-1",
 *   accessKeyId: process.env["WIKI_KEY_ID"] ?? "",
 *   secretAccessKey: process.env["WIKI_SECRET"] ?? ""
 * })
 *
 * Knowledge.make({ name: "handbook", sources: [wiki] })
 * ```
 */
export const make = (options: Options): Source => {
  const invalid = SourceClient.checkOptions("S3Source", options, kinds, ["bucket", "accessKeyId", "secretAccessKey"])
  const { accessKeyId, bucket, id, name = id, prefix = "", region = "us-east-1" } = options
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw invalid(`bucket '${bucket}' is no name of a bucket`)
  if (!/^[a-z0-9-]+$/.test(region)) throw invalid(`region '${region}' is no name of a region`)
  const { secretAccessKey, sessionToken } = options
  SourceClient.checkGiven({ accessKeyId, secretAccessKey, sessionToken }, invalid)
  const base = baseOf({ ...options, region }, invalid)
  const secret = SourceClient.hidden(secretAccessKey)
  const token = sessionToken === undefined ? undefined : SourceClient.hidden(sessionToken)
  const send = SourceClient.make([new URL(base)])

  const get = Effect.fnUntraced(function*(url: URL, maxBytes: number, path: string | undefined) {
    const headers = headersOf(url, {
      accessKeyId,
      secretAccessKey: Redacted.value(secret),
      sessionToken: token === undefined ? undefined : Redacted.value(token),
      region
    }, yield* Clock.currentTimeMillis)
    const response = yield* send({ url: url.href, headers, maxBytes })
    if (response.status === 200) return response
    const code = textOf(SourceClient.textOf(response), "Code")
    const status = isExpired(code) ? 401 : response.status
    const isFile = path !== undefined && code !== "NoSuchBucket"
    const subject = { place: "Bucket", name: bucket, path: isFile ? path : undefined }
    return yield* SourceClient.failureOf({ ...response, status }, subject, code)
  })

  const page = Effect.fnUntraced(function*(
    { delimiter, prefix }: Pick<ListRequest, "delimiter" | "prefix">,
    next: string | undefined
  ) {
    const url = new URL(`${base}/`)
    url.search = SourceClient.queryOf({
      "list-type": "2",
      "max-keys": "1000",
      prefix,
      delimiter: delimiter === "" ? undefined : delimiter,
      "continuation-token": next
    })
    const response = yield* get(url, SourceClient.maxBytes.list, undefined)
    const found = parse(SourceClient.textOf(response), delimiter)
    if (found === undefined) return yield* SourceClient.unavailable(`${bucket} responds with no list`)
    return found.isTooLong ? yield* SourceClient.tooMany(prefix, maxEntries) : found
  })

  const list = Effect.fnUntraced(function*(request: ListRequest) {
    const [folders, files]: [Array<ContentSource.Folder>, Array<ContentSource.File>] = [[], []]
    let next: string | undefined
    // a page can be empty
    for (let count = 0; count <= request.maximum / 1000; count++) {
      const found = yield* page(request, next)
      for (const folder of found.folders) folders.push(folder)
      for (const { file } of found.files) files.push(file)
      next = yield* SourceClient.following(request.prefix, next, found.next)
      if (next === undefined && folders.length + files.length <= request.maximum) return { folders, files }
    }
    return yield* SourceClient.tooMany(request.prefix, request.maximum)
  })

  const filesOf = (path: string) => (next: string | undefined) =>
    Effect.map(page({ prefix: path, delimiter: "" }, next), ({ files, next }): SourceClient.FilePage => ({
      files: files.map(({ file: { key, size }, version }) => ({ key, size, version })),
      next
    }))

  return {
    id,
    name,
    type: "s3",
    prefix,
    sync: SourceClient.syncOf(options.sync, invalid),
    params: [],
    list,
    folder: (request) => SourceClient.collect(request, filesOf(request.path)),
    fetch: Effect.fnUntraced(function*(path) {
      const url = new URL(`${base}/${SourceClient.encodePath(path)}`)
      const response = yield* get(url, SourceClient.maxBytes.file, path)
      return { bytes: response.body, type: SourceClient.typeOf(response) }
    })
  }
}
