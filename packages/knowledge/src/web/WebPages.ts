// One page or file of the web: fetched by `SafeFetch`, and read by a reader process.
import { type Fetched, type FetchError, SafeFetch } from "@svc/fetch"
import { Effect } from "effect"
import type { ReadDocument } from "../Document.ts"
import { DocumentReader } from "../DocumentReader.ts"
import { Unreadable } from "../Unreadable.ts"

export interface Page {
  /** After redirects. */
  readonly url: URL
  readonly bytes: number
  readonly documents: ReadonlyArray<ReadDocument>
  readonly links: ReadonlyArray<URL>
}

export interface PageRequest {
  readonly url: string
  readonly reader_id?: string | undefined
  /** Media types that are read. All, when left out. */
  readonly types?: ReadonlyArray<string> | undefined
  readonly maximumBytes: number
}

const unreadable = (reason: Unreadable["reason"], message: string) =>
  new Unreadable({ reason, message: `Error reading URL: ${message}` })

const fromFetch = (error: FetchError): Unreadable =>
  error.reason === "format"
    ? new Unreadable({ reason: "refused", message: error.message })
    : unreadable(error._tag === "FetchFailed" ? "unreachable" : "refused", error.message)

const checkStatus = ({ status, url }: Fetched): Effect.Effect<void, Unreadable> => {
  if (status >= 200 && status < 300) return Effect.void
  const isTemporary = status >= 500 || status === 429
  return Effect.fail(unreadable(isTemporary ? "unreachable" : "refused", `${url} answers with the status ${status}`))
}

/** Links and their base are for the reader of a website, and are not stored. */
const linksOf = (documents: ReadonlyArray<ReadDocument>, url: URL): ReadonlyArray<URL> =>
  documents.flatMap(({ metadata: { base, links } }) => {
    const from = (typeof base === "string" ? URL.parse(base, url) : null) ?? url
    return (Array.isArray(links) ? links : []).flatMap((link) => {
      const target = URL.parse(String(link), from)
      if (target === null) return []
      target.hash = ""
      return [target]
    })
  })

const onPage = (documents: ReadonlyArray<ReadDocument>, url: string): ReadonlyArray<ReadDocument> =>
  documents.map(({ metadata: { base: _, links: __, ...metadata }, text }, index) => ({
    id: index === 0 ? url : `${url}_${index + 1}`,
    name: typeof metadata["title"] === "string" ? metadata["title"] : url,
    text,
    metadata: { ...metadata, url }
  }))

export const make = Effect.gen(function*() {
  const { fetch } = yield* SafeFetch
  const reader = yield* DocumentReader
  return Effect.fnUntraced(function*({ maximumBytes, reader_id, types, url }: PageRequest) {
    const fetched = yield* Effect.mapError(fetch({ url, types, maximumBytes }), fromFetch)
    yield* checkStatus(fetched)
    const final = new URL(fetched.url)
    const documents = yield* reader.read({
      bytes: fetched.body,
      name: final.pathname.split("/").at(-1) ?? "",
      type: fetched.headers["content-type"],
      reader_id,
      withLinks: true
    })
    const page: Page = {
      url: final,
      bytes: fetched.body.length,
      documents: onPage(documents, fetched.url),
      links: linksOf(documents, final)
    }
    return page
  })
})
