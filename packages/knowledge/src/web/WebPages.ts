// One page or file of the web: fetched by `SafeFetch`, and read by a reader process.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { type Fetched, type FetchError, SafeFetch } from "@svc-runtime/fetch"
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

export interface File {
  /** After redirects. */
  readonly url: URL
  readonly bytes: Uint8Array
  readonly name: string
  readonly type: string | undefined
}

/** How a caller waits for others before it works on what it has fetched. */
export interface Turns {
  /** Awaited before more than 4 MiB are held. */
  readonly whole: Effect.Effect<void>
  /** Around the reading of each page. */
  readonly reading: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** What a caller may hold of what it has fetched, until it may hold all. */
export interface Room {
  /** Bytes, and characters of text. */
  left: number
  /** Milliseconds that it has waited. */
  waited: number
  readonly turns: Turns
}

export interface PageRequest {
  readonly room: Room
  readonly url: string
  readonly reader_id?: string | undefined
  /** Media types that are read. All, when left out. */
  readonly types?: ReadonlyArray<string> | undefined
  readonly maxBytes: number
}

/** Bytes a second of a page. */
const minRate = 1024

const unreadable = (reason: Unreadable["reason"], message: string) =>
  new Unreadable({ reason, message: `Error reading URL: ${message}` })

const fromFetch = (error: FetchError): Unreadable =>
  error.reason === "format"
    ? new Unreadable({ reason: "refused", message: error.message })
    : error.reason === "too_large"
    ? unreadable("too_large", error.message)
    : unreadable(error._tag === "FetchFailed" ? "unreachable" : "refused", error.message)

const checkStatus = ({ status, url }: Fetched): Effect.Effect<void, Unreadable> => {
  if (status >= 200 && status < 300) return Effect.void
  const isTemporary = status >= 500 || status === 429
  return Effect.fail(unreadable(isTemporary ? "unreachable" : "refused", `${url} responds with the status ${status}`))
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

interface Sizes {
  readonly maxBytes: number
  /** Characters of text. */
  readonly maxLength: number
}

/** What has no room is begun anew when all may be held: nothing of it is kept while it waits. */
const inRoom = <A>(room: Room, maxBytes: number, read: (sizes: Sizes) => Effect.Effect<A, Unreadable>) => {
  const whole = read({ maxBytes, maxLength: Infinity })
  if (room.left === Infinity) return whole
  const waiting = Effect.gen(function*() {
    const start = yield* Monotonic.millis
    yield* room.turns.whole
    room.waited += (yield* Monotonic.millis) - start
    room.left = Infinity
  })
  return Effect.catchIf(
    read({ maxBytes: Math.min(maxBytes, room.left), maxLength: room.left }),
    ({ reason }) => reason === "too_large",
    () => Effect.andThen(waiting, whole)
  )
}

const inTurn = <A, E>(room: Room, effect: Effect.Effect<A, E>) =>
  Effect.flatMap(Monotonic.millis, (start) => {
    const waited = Effect.map(Monotonic.millis, (now) => {
      room.waited += now - start
    })
    return room.turns.reading(Effect.andThen(waited, effect))
  })

const lengthOf = (documents: ReadonlyArray<ReadDocument>): number =>
  documents.reduce((length, { text }) => length + text.length, 0)

export const make = Effect.gen(function*() {
  const { fetch } = yield* SafeFetch
  const reader = yield* DocumentReader

  const fetchWithin = Effect.fnUntraced(function*(
    { types, url }: Pick<PageRequest, "types" | "url">,
    { maxBytes }: Sizes
  ) {
    const fetched = yield* Effect.mapError(fetch({ url, types, maxBytes, minRate }), fromFetch)
    yield* checkStatus(fetched)
    const final = new URL(fetched.url)
    const file: File = {
      url: final,
      bytes: fetched.body,
      name: final.pathname.split("/").at(-1) ?? "",
      type: fetched.headers["content-type"]
    }
    return file
  })

  const readWithin = Effect.fnUntraced(function*({ reader_id, ...request }: PageRequest, sizes: Sizes) {
    const { bytes, name, type, url } = yield* fetchWithin(request, sizes)
    const reading = reader.read({ bytes, name, type, reader_id, withLinks: true }, sizes.maxLength)
    const documents = yield* inTurn(request.room, reading)
    request.room.left -= Math.max(bytes.length, lengthOf(documents))
    const page: Page = {
      url,
      bytes: bytes.length,
      documents: onPage(documents, url.href),
      links: linksOf(documents, url)
    }
    return page
  })

  const fetchFile = (request: PageRequest) =>
    inRoom(request.room, request.maxBytes, (sizes) => fetchWithin(request, sizes))

  const readPage = (request: PageRequest) =>
    inRoom(request.room, request.maxBytes, (sizes) => readWithin(request, sizes))

  return { fetchFile, readPage }
})
