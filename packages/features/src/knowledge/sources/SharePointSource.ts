// Contents of a document library of SharePoint, by Microsoft Graph.
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type { Redacted } from "effect"
import { Effect, Schema } from "effect"
import type { ContentSourceFailed, FolderFile, Params, Source } from "../ContentSource.ts"
import * as AccessToken from "./AccessToken.ts"
import * as MicrosoftToken from "./MicrosoftToken.ts"
import * as SourceClient from "./SourceClient.ts"

export interface Options extends SourceClient.SourceOptions {
  /** An application with the permission `Sites.Selected` or `Sites.Read.All`. */
  readonly tenantId: string
  /** The id of the application. */
  readonly clientId: string
  /** A secret of the application. */
  readonly clientSecret: string | Redacted.Redacted
  /** `company.sharepoint.com` */
  readonly hostname: string
  /** `sites/handbook`. Without it callers name one in `source_params.site_path`: each that the application can read. */
  readonly sitePath?: string | undefined
  /** The name of a document library. Default: that of the site. */
  readonly drive?: string | undefined
  /** The address of Graph. Default: `https://graph.microsoft.com/v1.0`. */
  readonly endpoint?: string | undefined
  /** Where tokens come from. Default: `https://login.microsoftonline.com`. */
  readonly authority?: string | undefined
}

const siteRule = /^(?:sites|teams)\/[\w.-]{1,200}(?:\/[\w.-]{1,200}){0,3}$/

const siteProblem = (path: string): string | undefined =>
  siteRule.test(path) && !path.split("/").some((part) => part === "." || part === "..")
    ? undefined
    : "site_path must be the path of a site: sites/handbook"

const Identified = Schema.Struct({ id: Schema.NonEmptyString })

const Drives = Schema.Struct({ value: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString, name: Schema.String })) })

const Children = Schema.Struct({
  value: Schema.Array(Schema.Struct({
    name: Schema.String,
    size: Schema.optionalKey(Schema.Natural),
    cTag: Schema.optionalKey(Schema.String),
    eTag: Schema.optionalKey(Schema.String),
    lastModifiedDateTime: Schema.optionalKey(Schema.String),
    folder: Schema.optionalKey(Schema.Struct({ childCount: Schema.optionalKey(Schema.Finite) })),
    file: Schema.optionalKey(Schema.Unknown)
  })),
  "@odata.nextLink": Schema.optionalKey(Schema.String)
})

const Refusal = Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ code: Schema.String }) }))

/** Folders in folders. */
const maxDepth = 20

const host = "SharePoint"

const kinds: AuthorOptions.Kinds<Exclude<keyof Options, keyof SourceClient.SourceOptions>> = {
  tenantId: "text",
  clientId: "text",
  clientSecret: "secret",
  hostname: "text",
  sitePath: "text",
  drive: "text",
  endpoint: "text",
  authority: "text"
}

/**
 * A document library of SharePoint. Throws an `Error` if an option is invalid.
 *
 * ```ts
 * import { Knowledge, SharePointSource } from "@svc-runtime/server"
 *
 * const policies = SharePointSource.make({
 *   id: "policies",
 *   tenantId: process.env["TENANT_ID"] ?? "",
 *   clientId: process.env["CLIENT_ID"] ?? "",
 *   clientSecret: process.env["CLIENT_SECRET"] ?? "",
 *   hostname: "company.sharepoint.com",
 *   sitePath: "sites/policies"
 * })
 *
 * Knowledge.make({ name: "handbook", sources: [policies] })
 * ```
 */
export const make = (options: Options): Source => {
  const invalid = SourceClient.checkOptions("SharePointSource", options, kinds, [
    "tenantId",
    "clientId",
    "clientSecret",
    "hostname"
  ])
  const { drive, hostname, id, name = id, prefix = "", sitePath } = options
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(hostname)) throw invalid(`hostname '${hostname}' is no name of a host`)
  const siteFault = sitePath === undefined ? undefined : siteProblem(sitePath)
  if (siteFault !== undefined) throw invalid(`${siteFault}, not '${sitePath}'`)
  const endpoint = SourceClient.urlOf(options.endpoint ?? "https://graph.microsoft.com/v1.0", invalid)
  const base = endpoint.href.replace(/(?<!\/)\/+$/, "")
  const tokens = MicrosoftToken.urlOf(options, invalid)
  const plain = SourceClient.make([endpoint, tokens])
  const scope = `${endpoint.origin}/.default`
  const send = AccessToken.authorized(plain, MicrosoftToken.make(plain, tokens, options, scope))

  const get = Effect.fnUntraced(function*(url: string, maxBytes: number, subject: SourceClient.Subject) {
    const response = yield* send({ url, maxBytes })
    if (response.status === 200) return response
    const refusal = Schema.decodeUnknownOption(Refusal)(SourceClient.textOf(response))
    return yield* SourceClient.failureOf(
      response,
      subject,
      refusal._tag === "Some" ? refusal.value.error.code : undefined
    )
  })

  const site = (path: string): SourceClient.Subject => ({ place: "Site", name: `${hostname}/${path}`, path: undefined })

  const libraryOf = Effect.fnUntraced(function*(path: string) {
    const subject = site(path)
    const list = SourceClient.maxBytes.list
    const found = yield* get(`${base}/sites/${hostname}:/${SourceClient.encodePath(path)}`, list, subject)
    const { id } = yield* SourceClient.decodeJson(Identified, host)(found)
    const root = `${base}/sites/${encodeURIComponent(id)}`
    if (drive === undefined) {
      return (yield* SourceClient.decodeJson(Identified, host)(yield* get(`${root}/drive`, list, subject))).id
    }
    const { value } = yield* SourceClient.decodeJson(Drives, host)(yield* get(`${root}/drives`, list, subject))
    const named = value.find(({ name }) => name === drive)
    return named === undefined
      ? yield* SourceClient.failureOf({ url: root, status: 404, headers: {}, body: new Uint8Array() }, {
        place: "Library",
        name: drive,
        path: undefined
      })
      : named.id
  })

  const libraries = new Map<string, string>()

  const siteOf = (params: Params): string => sitePath ?? params["site_path"] ?? ""

  /** A library that is missing may have been created anew. */
  const forget = (params: Params) => ({ reason }: ContentSourceFailed) =>
    Effect.sync(() => reason === "missing" && libraries.delete(siteOf(params)))

  /** The URL of a library. It is looked up once: sites keep their libraries. */
  const rootOf = Effect.fnUntraced(function*(params: Params) {
    const path = siteOf(params)
    const known = libraries.get(path) ?? (yield* libraryOf(path))
    if (libraries.size < 1000) libraries.set(path, known)
    return `${base}/drives/${encodeURIComponent(known)}/root`
  })

  const decode = SourceClient.decodeJson(Children, host)

  const childrenIn = (root: string, path: string) =>
    Effect.fnUntraced(function*(next: string | undefined) {
      const place = path === "" ? "" : `:/${SourceClient.encodePath(path.replace(/(?<!\/)\/+$/, ""))}:`
      const select = "name,size,cTag,eTag,lastModifiedDateTime,folder,file"
      const url = next ?? `${root}${place}/children?$top=200&$select=${select}`
      const subject = { place: "Folder", name: path === "" ? host : path, path: undefined }
      const page = yield* decode(yield* get(url, SourceClient.maxBytes.list, subject))
      const link = page["@odata.nextLink"]
      // the token is for this host only
      if (link !== undefined && URL.parse(link)?.origin !== endpoint.origin) {
        return yield* SourceClient.refused(`${host} continues its list on another host`)
      }
      return { entries: page.value, next: link }
    })

  const walk = Effect.fnUntraced(function*(
    root: string,
    path: string,
    maximum: number
  ): Effect.fn.Return<ReadonlyArray<FolderFile>, ContentSourceFailed> {
    const files: Array<FolderFile> = []
    const folders = [{ path: path === "" || path.endsWith("/") ? path : `${path}/`, depth: 0 }]
    let requests = 0
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const children = childrenIn(root, folder.path)
      let next: string | undefined
      do {
        if (++requests > maximum / 5) return yield* SourceClient.tooMany(path, maximum)
        const page: Effect.Success<ReturnType<typeof children>> = yield* children(next)
        for (const { cTag, eTag, file, folder: inner, lastModifiedDateTime, name, size } of page.entries) {
          const key = `${folder.path}${name}`
          if (inner === undefined) {
            // a notebook is neither a file nor a folder
            if (file !== undefined) {
              files.push({ key, size: size ?? null, version: cTag ?? eTag ?? `${size} ${lastModifiedDateTime}` })
            }
          } else if (folder.depth === maxDepth) {
            return yield* SourceClient.refused(`'${key.slice(0, 200)}' is deeper than ${maxDepth} folders`)
          } else if (inner.childCount !== 0) folders.push({ path: `${key}/`, depth: folder.depth + 1 })
        }
        if (files.length + folders.length > maximum) return yield* SourceClient.tooMany(path, maximum)
        next = yield* SourceClient.following(folder.path, next, page.next)
      } while (next !== undefined)
    }
    return files
  })

  return {
    id,
    name,
    type: "sharepoint",
    prefix,
    sync: SourceClient.syncOf(options.sync, invalid),
    params: sitePath === undefined ? ["site_path"] : [],
    paramsProblem: ({ site_path }) => {
      if (sitePath !== undefined) return undefined
      return site_path === undefined ? "site_path is missing: name a site, sites/handbook" : siteProblem(site_path)
    },
    list: undefined,
    folder: ({ maximum, params, path }) =>
      Effect.tapError(Effect.flatMap(rootOf(params), (root) => walk(root, path, maximum)), forget(params)),
    fetch: Effect.fnUntraced(
      function*(path, params) {
        const url = `${yield* rootOf(params)}:/${SourceClient.encodePath(path)}:/content`
        const response = yield* get(url, SourceClient.maxBytes.file, { place: "File", name: host, path })
        return { bytes: response.body, type: SourceClient.typeOf(response) }
      },
      (effect, _, params) => Effect.tapError(effect, forget(params))
    )
  }
}
