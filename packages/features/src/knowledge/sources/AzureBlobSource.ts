// Contents of a container of Azure Blob Storage.
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { DateTime, Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import type { ContentSourceFailed, FolderFile, Source } from "../ContentSource.ts"
import * as AccessToken from "./AccessToken.ts"
import * as MicrosoftToken from "./MicrosoftToken.ts"
import * as SourceClient from "./SourceClient.ts"
import { all, maxEntries, sizeOf, textOf } from "./xml.ts"

export interface Options extends SourceClient.SourceOptions {
  /** The name of the storage account. */
  readonly account: string
  /** The name of the container. */
  readonly container: string
  /** A key of the account, a shared access signature, or an application. Without any: a public container. */
  readonly accountKey?: string | Redacted.Redacted | undefined
  /** A shared access signature, instead of a key of the account. */
  readonly sasToken?: string | Redacted.Redacted | undefined
  /** An application of Entra, instead of a key of the account. */
  readonly application?: MicrosoftToken.Application | undefined
  /** The address of the account. Default: `https://<account>.blob.core.windows.net`. */
  readonly endpoint?: string | undefined
}

const version = "2023-11-03"

/** The header of a GET request. Headers that it has not are empty lines. */
const sharedKey = (url: URL, account: string, key: Redacted.Redacted, date: string): string => {
  const headers = `x-ms-date:${date}\nx-ms-version:${version}\n`
  const query = [...url.searchParams].map(([name, value]) => `\n${name.toLowerCase()}:${value}`).toSorted().join("")
  const text = `GET${"\n".repeat(12)}${headers}/${account}${url.pathname}${query}`
  const bytes = Buffer.from(Redacted.value(key), "base64")
  return `SharedKey ${account}:${createHmac("sha256", bytes).update(text).digest("base64")}`
}

const fileOf = (xml: string): FolderFile => {
  const size = textOf(xml, "Content-Length")
  const version = textOf(xml, "Etag") ?? `${size} ${textOf(xml, "Last-Modified")}`
  return { key: textOf(xml, "Name") ?? "", size: sizeOf(size), version }
}

const kinds: AuthorOptions.Kinds<Exclude<keyof Options, keyof SourceClient.SourceOptions>> = {
  account: "text",
  container: "text",
  accountKey: "secret",
  sasToken: "secret",
  application: "object",
  endpoint: "text"
}

/**
 * A container. Throws an `Error` if an option is invalid.
 *
 * ```ts
 * import { AzureBlobSource, Knowledge } from "@svc-runtime/server"
 *
 * const contracts = AzureBlobSource.make({
 *   id: "contracts",
 *   account: "company",
 *   container: "contracts",
 *   sasToken: process.env["CONTRACTS_SAS"] ?? ""
 * })
 *
 * Knowledge.make({ name: "legal", sources: [contracts] })
 * ```
 */
export const make = (options: Options): Source => {
  const invalid = SourceClient.checkOptions("AzureBlobSource", options, kinds, ["account", "container"])
  const { account, accountKey, application, container, id, name = id, prefix = "", sasToken } = options
  if (!/^[a-z0-9]{3,24}$/.test(account)) throw invalid(`account '${account}' is no name of an account`)
  if (!/^(?:\$root|[a-z0-9][a-z0-9-]{2,62})$/.test(container)) {
    throw invalid(`container '${container}' is no name of a container`)
  }
  if ([accountKey, application, sasToken].filter((given) => given !== undefined).length > 1) {
    throw invalid("only one of accountKey, sasToken and application can be given")
  }
  SourceClient.checkGiven({ accountKey, sasToken }, invalid)
  const base = SourceClient.urlOf(options.endpoint ?? `https://${account}.blob.core.windows.net`, invalid)
  const root = `${base.href.replace(/(?<!\/)\/+$/, "")}/${container}`
  const key = accountKey === undefined ? undefined : SourceClient.hidden(accountKey)
  const sas = sasToken === undefined ? undefined : SourceClient.hidden(sasToken)
  const tokens = application === undefined ? undefined : MicrosoftToken.urlOf(application, invalid)
  const plain = SourceClient.make(tokens === undefined ? [base] : [base, tokens])
  const token = application === undefined || tokens === undefined
    ? undefined
    : MicrosoftToken.make(plain, tokens, application, "https://storage.azure.com/.default")
  const send = AccessToken.authorized(plain, token)

  const get = Effect.fnUntraced(function*(
    path: string | undefined,
    parameters: Readonly<Record<string, string | undefined>>,
    maxBytes: number
  ) {
    const url = new URL(path === undefined ? root : `${root}/${SourceClient.encodePath(path)}`)
    url.search = SourceClient.queryOf(parameters)
    const date = DateTime.toDateUtc(yield* DateTime.now).toUTCString()
    const headers = {
      "x-ms-date": date,
      "x-ms-version": version,
      ...(key === undefined ? {} : { authorization: sharedKey(url, account, key, date) })
    }
    const signature = sas === undefined ? "" : Redacted.value(sas).replace(/^\?/, "")
    const query = [url.search.slice(1), signature].filter((part) => part !== "").join("&")
    const response = yield* send({ url: `${url.origin}${url.pathname}?${query}`, headers, maxBytes })
    if (response.status === 200) return response
    const code = textOf(SourceClient.textOf(response), "Code")
    const isFile = path !== undefined && code !== "ContainerNotFound"
    const subject = { place: "Container", name: container, path: isFile ? path : undefined }
    return yield* SourceClient.failureOf(response, subject, code)
  })

  const page = (path: string) =>
    Effect.fnUntraced(function*(
      next: string | undefined
    ): Effect.fn.Return<SourceClient.FilePage, ContentSourceFailed> {
      const parameters = { restype: "container", comp: "list", maxresults: "1000", prefix: path, marker: next }
      const response = yield* get(undefined, parameters, SourceClient.maxBytes.list)
      const xml = SourceClient.textOf(response)
      if (!xml.includes("</EnumerationResults>")) {
        return yield* SourceClient.unavailable(`${container} responds with no list`)
      }
      const blobs = all(xml, "Blob", maxEntries + 1)
      if (blobs.length > maxEntries) return yield* SourceClient.tooMany(path, maxEntries)
      const files = blobs.map(fileOf).filter(({ key }) => key !== "" && !key.endsWith("/"))
      const marker = textOf(xml, "NextMarker")
      return { files, next: marker === "" ? undefined : marker }
    })

  return {
    id,
    name,
    type: "azureblob",
    prefix,
    sync: SourceClient.syncOf(options.sync, invalid),
    params: [],
    list: undefined,
    folder: (request) => SourceClient.collect(request, page(request.path)),
    fetch: Effect.fnUntraced(function*(path) {
      const response = yield* get(path, {}, SourceClient.maxBytes.file)
      return { bytes: response.body, type: SourceClient.typeOf(response) }
    })
  }
}
