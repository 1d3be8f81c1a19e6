// Contents of a bucket of Google Cloud Storage, by its JSON interface.
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Effect, Redacted, Schema } from "effect"
import type { ContentSourceFailed, FolderFile, Source } from "../ContentSource.ts"
import * as AccessToken from "./AccessToken.ts"
import * as SourceClient from "./SourceClient.ts"
import { sizeOf } from "./xml.ts"

export interface Options extends SourceClient.SourceOptions {
  /** The name of the bucket. */
  readonly bucket: string
  /** The JSON text of the key file of a service account. Without it and without a token: a public bucket. */
  readonly serviceAccount?: string | Redacted.Redacted | undefined
  /** Instead of a service account. It is not renewed. */
  readonly accessToken?: string | Redacted.Redacted | undefined
  /** The address of the API. Default: `https://storage.googleapis.com`. */
  readonly endpoint?: string | undefined
}

const KeyFile = Schema.fromJsonString(Schema.Struct({
  client_email: Schema.NonEmptyString,
  private_key: Schema.NonEmptyString,
  token_uri: Schema.optionalKey(Schema.String)
}))

const scope = "https://www.googleapis.com/auth/devstorage.read_only"

const Page = Schema.Struct({
  items: Schema.optionalKey(Schema.Array(Schema.Struct({
    name: Schema.String,
    size: Schema.optionalKey(Schema.String),
    generation: Schema.optionalKey(Schema.String),
    updated: Schema.optionalKey(Schema.String)
  }))),
  nextPageToken: Schema.optionalKey(Schema.String)
})

const Refusal = Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }))

const keyFileOf = (text: Redacted.Redacted, invalid: (problem: string) => Error) => {
  try {
    const file = Schema.decodeUnknownSync(KeyFile)(Redacted.value(text))
    return { ...file, key: AccessToken.privateKeyOf(file.private_key) }
  } catch {
    // the error has the text
    throw invalid("serviceAccount must be the JSON text of a key file")
  }
}

const kinds: AuthorOptions.Kinds<Exclude<keyof Options, keyof SourceClient.SourceOptions>> = {
  bucket: "text",
  serviceAccount: "secret",
  accessToken: "secret",
  endpoint: "text"
}

/**
 * A bucket of Google Cloud Storage. Throws an `Error` if an option is invalid.
 *
 * ```ts
 * import { GcsSource, Knowledge } from "@svc-runtime/server"
 *
 * const reports = GcsSource.make({
 *   id: "reports",
 *   bucket: "company-reports",
 *   serviceAccount: process.env["REPORTS_KEY_FILE"] ?? "",
 *   sync: "1 hour"
 * })
 *
 * Knowledge.make({ name: "handbook", sources: [reports] })
 * ```
 */
export const make = (options: Options): Source => {
  const invalid = SourceClient.checkOptions("GcsSource", options, kinds, ["bucket"])
  const { bucket, id, name = id, prefix = "" } = options
  if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket)) throw invalid(`bucket '${bucket}' is no name of a bucket`)
  SourceClient.checkGiven({ accessToken: options.accessToken }, invalid)
  const base = SourceClient.urlOf(options.endpoint ?? "https://storage.googleapis.com", invalid)
  const account = options.serviceAccount === undefined
    ? undefined
    : keyFileOf(SourceClient.hidden(options.serviceAccount), invalid)
  const tokens = SourceClient.urlOf(account?.token_uri ?? "https://oauth2.googleapis.com/token", invalid, "token_uri")
  const plain = SourceClient.make([base, tokens])
  const obtained = account === undefined ? undefined : AccessToken.make(
    AccessToken.signed(account.key, { iss: account.client_email, scope, aud: tokens.href }).pipe(
      Effect.flatMap((assertion) =>
        AccessToken.oauth(plain, tokens, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion })
      )
    )
  )
  const given = options.accessToken === undefined ? undefined : AccessToken.fixed(options.accessToken)
  const send = AccessToken.authorized(plain, obtained ?? given)
  const objects = `${base.href.replace(/(?<!\/)\/+$/, "")}/storage/v1/b/${encodeURIComponent(bucket)}/o`

  const get = Effect.fnUntraced(function*(url: string, maxBytes: number, path: string | undefined) {
    const response = yield* send({ url, maxBytes })
    if (response.status === 200) return response
    const refusal = Schema.decodeUnknownOption(Refusal)(SourceClient.textOf(response))
    const code = refusal._tag === "Some" ? refusal.value.error.message : undefined
    return yield* SourceClient.failureOf(response, { place: "Bucket", name: bucket, path }, code)
  })

  const decode = SourceClient.decodeJson(Page, bucket)

  const page = (path: string) =>
    Effect.fnUntraced(function*(
      next: string | undefined
    ): Effect.fn.Return<SourceClient.FilePage, ContentSourceFailed> {
      const query = SourceClient.queryOf({
        prefix: path,
        pageToken: next,
        maxResults: "1000",
        fields: "items(name,size,generation,updated),nextPageToken"
      })
      const response = yield* get(`${objects}?${query}`, SourceClient.maxBytes.list, undefined)
      const { items = [], nextPageToken } = yield* decode(response)
      const files = items.filter(({ name }) => !name.endsWith("/")).map((item): FolderFile => {
        const version = item.generation ?? `${item.size} ${item.updated}`
        return { key: item.name, size: sizeOf(item.size), version }
      })
      return { files, next: nextPageToken }
    })

  return {
    id,
    name,
    type: "gcs",
    prefix,
    sync: SourceClient.syncOf(options.sync, invalid),
    params: [],
    list: undefined,
    folder: (request) => SourceClient.collect(request, page(request.path)),
    fetch: Effect.fnUntraced(function*(path) {
      const response = yield* get(
        `${objects}/${SourceClient.encode(path)}?alt=media`,
        SourceClient.maxBytes.file,
        path
      )
      return { bytes: response.body, type: SourceClient.typeOf(response) }
    })
  }
}
