// Contents of a bucket of S3, or of a service that is compatible with it.
import type * as ContentSource from "@svc-runtime/domain/ContentSource"
import { Clock, type Duration, Effect, Redacted } from "effect"
import type { ListRequest, Source } from "../ContentSource.ts"
import * as S3Listing from "./S3Listing.ts"
import * as signature from "./Signature.ts"
import * as SourceClient from "./SourceClient.ts"
import { maxEntries, textOf } from "./xml.ts"

export interface Options {
  /** Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** Default: the id. */
  readonly name?: string | undefined
  readonly bucket: string
  /** Default: `us-east-1`. */
  readonly region?: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string | Redacted.Redacted
  readonly sessionToken?: string | Redacted.Redacted | undefined
  /** Of a compatible service: `https://minio.example:9000`. Default: S3 in the region. */
  readonly endpoint?: string | undefined
  /** Only paths that start with it are offered. */
  readonly prefix?: string | undefined
  /** How often uploaded folders are compared with it again, at least a minute. Default: only when uploaded. */
  readonly sync?: Duration.Input | undefined
}

/** A bucket with a dot has no certificate of its own. */
const baseOf = (
  { bucket, endpoint, region }: Options & { readonly region: string },
  invalid: (text: string) => Error
) => {
  const isHost = endpoint === undefined && !bucket.includes(".")
  const host = `https://${isHost ? `${bucket}.` : ""}s3.${region}.amazonaws.com`
  const url = SourceClient.urlOf(endpoint ?? host, invalid)
  return isHost ? url.origin : `${url.href.replace(/\/+$/, "")}/${bucket}`
}

/** Temporary credentials that ended, or were never right, are 400. */
const isExpired = (code: string | undefined) => code === "ExpiredToken" || code === "InvalidToken"

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
  const { accessKeyId, bucket, id, name = id, prefix = "", region = "us-east-1" } = options
  const invalid = (problem: string) => new Error(`S3Source '${id}': ${problem}`)
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw invalid(`bucket '${bucket}' is no name of a bucket`)
  if (!/^[a-z0-9-]+$/.test(region)) throw invalid(`region '${region}' is no name of a region`)
  const { secretAccessKey, sessionToken } = options
  SourceClient.checkGiven({ accessKeyId, secretAccessKey, sessionToken }, invalid)
  const base = baseOf({ ...options, region }, invalid)
  const secret = SourceClient.hidden(secretAccessKey)
  const token = sessionToken === undefined ? undefined : SourceClient.hidden(sessionToken)
  const send = SourceClient.make([new URL(base)])

  const get = Effect.fnUntraced(function*(url: URL, maxBytes: number, path: string | undefined) {
    const headers = signature.headersOf(url, {
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
    const found = S3Listing.parse(SourceClient.textOf(response), delimiter)
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
