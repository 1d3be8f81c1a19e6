// Reads what a URL names: a file, a website with the pages that it links to, or the pages of an llms.txt.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { SafeFetch } from "@svc-runtime/fetch"
import { Context, Duration, Effect, Layer } from "effect"
import type { ReadDocument } from "../Document.ts"
import type { DocumentReader } from "../DocumentReader.ts"
import { chooseUrlReader } from "../ReaderCatalogue.ts"
import type { Unreadable } from "../Unreadable.ts"
import * as RobotsRules from "./RobotsRules.ts"
import * as WebPages from "./WebPages.ts"

// The pages that an llms.txt lists, as links of Markdown.

/** No part can begin inside another one, so the search takes linear time. */
const link = /\[[^[\]\n]{1,300}\]\(([^()[\s]{1,2048})\)/g

/** Above every limit of pages. */
const maxLinks = 1000

/** Each page once, in the order of the file. */
export const listedPages = (text: string, base: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [, target = ""] of [...text.matchAll(link)].slice(0, maxLinks)) {
    const url = URL.parse(target, base)
    if (url === null || !/^https?:$/.test(url.protocol)) continue
    url.hash = ""
    found.add(url.href)
  }
  return [...found]
}

export interface Options {
  /** Pages of a website. 10, when left out. */
  readonly sitePages?: number | undefined
  /** Pages that an llms.txt lists. 20, when left out. */
  readonly listedPages?: number | undefined
  /** How many links lead from the first page of a website to its last one. 3, when left out. */
  readonly depth?: number | undefined
  /** The limit of one page or file. Default: 32 MiB. */
  readonly maxBytes?: number | undefined
  /** The limit of all pages together. Default: 64 MiB. */
  readonly totalBytes?: number | undefined
  /** What is held of a source until all may be: bytes, and characters of text. Default: 4 MiB. */
  readonly aheadBytes?: number | undefined
  /** The time after which no other page is fetched. Default: 2 minutes. */
  readonly timeout?: Duration.Input | undefined
}

export interface WebSource {
  readonly url: string
  readonly reader_id?: string | undefined
}

/** The texts of all pages, and their fetched bytes. */
export interface ReadPages {
  readonly documents: ReadonlyArray<ReadDocument>
  readonly bytes: number
}

const mebi = 1024 * 1024
const agent = "svc"

/** The media types of pages of a website. Other files are read only by their own URL. */
const pageTypes = ["text/html", "application/xhtml+xml", "text/plain", "text/markdown"]

/** Links to them are not followed. */
const file =
  /\.(?:png|jpe?g|gif|webp|svg|ico|css|m?js|json|xml|zip|gz|tgz|tar|7z|rar|exe|dmg|mp[34]|webm|mov|woff2?|pdf|docx?|xlsx?|pptx?)$/i

/** Links of a website that are compared with its rules. The site writes both, and each comparison takes time. */
const maxComparisons = 500

const make = Effect.fnUntraced(function*(options: Options) {
  const { fetch } = yield* SafeFetch
  const { fetchFile, readPage } = yield* WebPages.make
  const { depth: maxDepth = 3, maxBytes = 32 * mebi, totalBytes = 64 * mebi } = options
  const { aheadBytes = 4 * mebi } = options
  const timeout = Duration.toMillis(Duration.fromInputUnsafe(options.timeout ?? "2 minutes"))

  /** Without a robots.txt everything is allowed. If it cannot be read, no further page is fetched. */
  const rulesOf = (site: URL): Effect.Effect<RobotsRules.RobotsRules> =>
    fetch({ url: new URL("/robots.txt", site).href, maxBytes: mebi / 2 }).pipe(
      Effect.map(({ body, status }) => {
        if (status >= 500) return RobotsRules.nothing
        return status >= 300 ? [] : RobotsRules.parse(new TextDecoder().decode(body), agent)
      }),
      Effect.orElseSucceed(() => RobotsRules.nothing)
    )

  /** Adds pages in turn until a budget is used up. A page that cannot be read is left out. */
  const addPages = Effect.fnUntraced(function*(
    first: ReadPages,
    start: { readonly pages: number; readonly bytes: number; readonly urls: ReadonlyArray<string> },
    room: WebPages.Room,
    follow: (page: WebPages.Page, depth: number) => ReadonlyArray<string>,
    mayRead: (url: string) => Effect.Effect<boolean>
  ) {
    const found = [...first.documents]
    const queue = start.urls.map((url): readonly [url: string, depth: number] => [url, 1])
    const seen = new Set(start.urls)
    const deadline = (yield* Monotonic.millis) + timeout - room.waited
    let { bytes, pages } = start
    for (let item = queue.shift(); item !== undefined && pages > 0 && bytes > 0; item = queue.shift()) {
      if ((yield* Monotonic.millis) > deadline + room.waited) break
      const [url, depth] = item
      if (!(yield* mayRead(url))) continue
      pages -= 1
      const page = yield* readPage({ url, room, types: pageTypes, maxBytes: Math.min(maxBytes, bytes) }).pipe(
        Effect.catch(({ message }) => Effect.as(Effect.logDebug(`A page is left out. ${message}`), undefined))
      )
      if (page === undefined) continue
      bytes -= page.bytes
      found.push(...page.documents)
      for (const link of follow(page, depth)) {
        if (seen.has(link)) continue
        seen.add(link)
        queue.push([link, depth + 1])
      }
    }
    return { documents: found, bytes: first.bytes + start.bytes - bytes }
  })

  const readSite = Effect.fnUntraced(function*(url: string, room: WebPages.Room) {
    const first = yield* readPage({ url, room, maxBytes })
    const rules = yield* Effect.cached(rulesOf(first.url))
    const own = new Set([url, first.url.href])
    const follow = ({ links }: WebPages.Page, depth: number): ReadonlyArray<string> =>
      depth >= maxDepth ?
        [] :
        links.filter(({ href, origin, pathname }) =>
          origin === first.url.origin && !file.test(pathname) && !own.has(href)
        ).map(({ href }) => href)
    let comparisons = maxComparisons
    const mayRead = Effect.fnUntraced(function*(link: string) {
      if (comparisons === 0) return false
      comparisons -= 1
      const allowed = yield* rules
      // the node responds to other requests in between
      yield* Effect.yieldNow
      return RobotsRules.isAllowed(allowed, new URL(link))
    })
    const urls = [...new Set(follow(first, 0))]
    const budget = { pages: (options.sitePages ?? 10) - 1, bytes: totalBytes - first.bytes, urls }
    return yield* addPages(first, budget, room, follow, mayRead)
  })

  const readListed = Effect.fnUntraced(function*(url: string, room: WebPages.Room) {
    const list = yield* readPage({ url, room, reader_id: "text", maxBytes: mebi })
    const pages = list.documents.flatMap(({ text }) => listedPages(text, list.url.href))
    const budget = { pages: options.listedPages ?? 20, bytes: totalBytes, urls: pages }
    return yield* addPages(list, budget, room, () => [], () => Effect.succeed(true))
  })

  const roomOf = (turns: WebPages.Turns | undefined): WebPages.Room =>
    turns === undefined
      ? { left: Infinity, waited: 0, turns: { whole: Effect.void, reading: (effect) => effect } }
      : { left: aheadBytes, waited: 0, turns }

  const read = Effect.fn("WebReader.read")(function*({ reader_id, url }: WebSource, turns?: WebPages.Turns) {
    const room = roomOf(turns)
    const { id } = chooseUrlReader({ url, reader_id })
    if (id === "website") return yield* readSite(url, room)
    if (id === "llms_txt") return yield* readListed(url, room)
    return yield* readPage({ url, room, reader_id, maxBytes })
  })

  return {
    read,
    fetch: (url: string, turns?: WebPages.Turns) =>
      Effect.suspend(() => fetchFile({ url, room: roomOf(turns), maxBytes }))
  }
})

export class WebReader extends Context.Service<WebReader, {
  /** The texts of a URL. A website has those of several pages. Without `turns` nothing is awaited. */
  readonly read: (source: WebSource, turns?: WebPages.Turns) => Effect.Effect<ReadPages, Unreadable>
  /** The bytes of a URL, for readers of files. */
  readonly fetch: (url: string, turns?: WebPages.Turns) => Effect.Effect<WebPages.File, Unreadable>
}>()("@svc-runtime/knowledge/web/WebReader") {
  static readonly layer = (options: Options = {}): Layer.Layer<WebReader, never, SafeFetch | DocumentReader> =>
    Layer.effect(WebReader, make(options))
}
