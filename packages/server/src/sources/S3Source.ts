// Contents of a bucket of S3, or of a service that is compatible with it.
import type * as ContentSource from "@svc/domain/ContentSource"
import { FetchFailed, type FetchRequest, SafeFetch } from "@svc/fetch"
import { ContentSourceFailed, type ListRequest, type Source } from "@svc/runtime/knowledge/ContentSource"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import * as S3Listing from "./S3Listing.ts"
import * as signature from "./signature.ts"

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
}

const bytes = { file: 32 * 1024 * 1024, list: 8 * 1024 * 1024 } as const

const invalid = (id: string, problem: string): Error => new Error(`S3Source '${id}': ${problem}`)

const hidden = (value: string | Redacted.Redacted): Redacted.Redacted =>
  Redacted.isRedacted(value) ? value : Redacted.make(value)

/** A bucket with a dot has no certificate of its own. */
const baseOf = ({ bucket, endpoint, id, region }: Options & { readonly region: string }): URL => {
  const isHost = endpoint === undefined && !bucket.includes(".")
  const text = endpoint ?? `https://${isHost ? `${bucket}.` : ""}s3.${region}.amazonaws.com`
  const url = URL.parse(text)
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.search !== "") {
    throw invalid(id, `endpoint must be an http or https address, not '${text}'`)
  }
  return new URL(isHost ? url.origin : `${url.href.replace(/\/+$/, "")}/${bucket}`)
}

const unavailable = (message: string) => new ContentSourceFailed({ reason: "unavailable", message })

const failureOf = (status: number, xml: string, bucket: string, path: string | undefined): ContentSourceFailed => {
  const code = S3Listing.textOf(xml, "Code")
  if (status === 404) {
    const isFile = path !== undefined && code !== "NoSuchBucket"
    return new ContentSourceFailed({
      reason: "missing",
      message: isFile ? `File not found: ${path}` : `Bucket not found: ${bucket}`
    })
  }
  const answer = `${bucket} answers with the status ${status}${code === undefined ? "" : ` (${code.slice(0, 100)})`}`
  if (status === 401 || status === 403) return new ContentSourceFailed({ reason: "credentials", message: answer })
  if (status === 429 || status >= 500) return unavailable(answer)
  return new ContentSourceFailed({ reason: "refused", message: answer })
}

/**
 * A bucket. Throws an `Error` if an option is invalid.
 *
 * ```ts
 * import { Knowledge, S3Source } from "@svc/server"
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
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw invalid(id, `bucket '${bucket}' is no name of a bucket`)
  if (!/^[a-z0-9-]+$/.test(region)) throw invalid(id, `region '${region}' is no name of a region`)
  const base = baseOf({ ...options, region })
  const secret = hidden(options.secretAccessKey)
  const token = options.sessionToken === undefined ? undefined : hidden(options.sessionToken)
  const port = base.port === "" ? base.protocol === "https:" ? "443" : "80" : base.port
  // the author of the service names this host, no caller does
  const layer = SafeFetch.layer({ allow: [`${base.hostname}:${port}`] })

  const get = Effect.fnUntraced(
    function*(url: URL, maximumBytes: number, path: string | undefined) {
      const headers = signature.headersOf(url, {
        accessKeyId,
        secretAccessKey: Redacted.value(secret),
        sessionToken: token === undefined ? undefined : Redacted.value(token),
        region
      }, yield* Clock.currentTimeMillis)
      const request: FetchRequest = { url: url.href, headers, maximumBytes }
      const fetched = yield* Layer.build(layer).pipe(
        Effect.flatMap((context) => Context.get(context, SafeFetch).fetch(request)),
        Effect.mapError((error) =>
          error instanceof FetchFailed
            ? unavailable(error.message)
            : new ContentSourceFailed({ reason: "refused", message: error.message })
        )
      )
      if (fetched.status === 200) return fetched
      return yield* failureOf(fetched.status, new TextDecoder().decode(fetched.body.slice(0, 10_000)), bucket, path)
    },
    Effect.scoped
  )

  const page = Effect.fnUntraced(function*({ delimiter, prefix }: ListRequest, next: string | undefined) {
    const url = new URL(base.href.endsWith("/") ? base : `${base.href}/`)
    url.search = signature.queryOf({
      "list-type": "2",
      "max-keys": "1000",
      prefix,
      ...(delimiter === "" ? {} : { delimiter }),
      ...(next === undefined ? {} : { "continuation-token": next })
    })
    const { body } = yield* get(url, bytes.list, undefined)
    return S3Listing.parse(new TextDecoder().decode(body), delimiter) ??
      (yield* unavailable(`${bucket} answers with no list`))
  })

  const list = Effect.fnUntraced(function*(request: ListRequest) {
    const [folders, files]: [Array<ContentSource.Folder>, Array<ContentSource.File>] = [[], []]
    let next: string | undefined
    // a page can be empty
    for (let count = 0; count <= request.maximum / 1000; count++) {
      const found = yield* page(request, next)
      folders.push(...found.folders)
      files.push(...found.files)
      next = found.next
      if (next === undefined && folders.length + files.length <= request.maximum) return { folders, files }
    }
    return yield* new ContentSourceFailed({
      reason: "refused",
      message: `'${request.prefix}' has more than ${request.maximum} entries: name a longer prefix`
    })
  })

  return {
    id,
    name,
    type: "s3",
    prefix,
    list,
    fetch: Effect.fnUntraced(function*(path) {
      const url = new URL(`${base.href.replace(/\/$/, "")}/${path.split("/").map(signature.encode).join("/")}`)
      const { body, headers } = yield* get(url, bytes.file, path)
      const type = headers["content-type"]
      return { bytes: body, type: type === undefined || type === "binary/octet-stream" ? undefined : type }
    })
  }
}
