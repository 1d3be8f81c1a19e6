// Reads with the readers and chunkers of an author. What they return is checked: it is stored and shown to others.
import * as Json from "@svc-runtime/domain/Json"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { defaultLimits, extensionOf, maxChunkSize, normalizeReaderId, type ReadDocument } from "@svc-runtime/knowledge"
import { Cause, Duration, Effect, Fiber, Option, Predicate, Schema } from "effect"
import type { Chunker, Part } from "./Chunker.ts"
import type { Chunking, FileSource, UrlSource } from "./DocumentReading.ts"
import type * as Content from "./Knowledge.ts"
import { NotReadable } from "./KnowledgeErrors.ts"
import { type Document, type Reader, Unreadable } from "./Reader.ts"

const notReadable = (message: string) => new NotReadable({ message, isTransient: false })

const mediaTypeOf = (type: string): string => type.replace(/;.*/s, "").trim().toLowerCase()

/** By the name or the extension, else by the media type. */
const isFor = ({ name, type }: { readonly name?: string | undefined; readonly type?: string | undefined }) => {
  const whole = name?.split(/[/\\]/).at(-1)
  const extension = name === undefined ? undefined : extensionOf(name)
  const mediaType = type === undefined ? undefined : mediaTypeOf(type)
  return ({ types }: Reader) => types.some((each) => each === whole || each === extension || each === mediaType)
}

export const find = (readers: ReadonlyArray<Reader>, id: string): Reader | undefined => {
  const wanted = normalizeReaderId(id)
  return readers.find((reader) => reader.id === wanted)
}

/** `isKnown`: whether the service has the named reader, which then reads the source. */
export const choose = (
  readers: ReadonlyArray<Reader>,
  source: FileSource | UrlSource,
  isKnown: (id: string) => boolean
): Reader | undefined => {
  const { reader_id } = source
  const named = reader_id === undefined ? undefined : find(readers, reader_id)
  if (named !== undefined) return named
  if (reader_id !== undefined && isKnown(reader_id)) return undefined
  return readers.find(isFor("url" in source ? { name: URL.parse(source.url)?.pathname } : source))
}

const Returned = Schema.Array(Schema.Struct({ text: Schema.String, metadata: Schema.optional(Json.Object) }))
const decodeReturned = Schema.decodeUnknownOption(Returned)

/** Databases do not store NUL and half characters. */
const clean = (text: string): string => text.replaceAll("\0", "").toWellFormed()

const isTooLong = (texts: ReadonlyArray<Document>): boolean =>
  texts.reduce((length, { text }) => length + text.length, 0) > defaultLimits.outputLength

/** What the code of an author returned, without empty texts. */
const checked = (what: string, kind: "chunks" | "documents", returned: unknown) => {
  const decoded = decodeReturned(returned)
  if (Option.isNone(decoded)) return Effect.fail(notReadable(`${what} returned something else than ${kind}`))
  const texts = decoded.value.map(({ metadata = {}, text }) => ({ metadata, text: clean(text) }))
    .filter(({ metadata, text }) => text.trim() !== "" && Json.isShallow(metadata))
  const maximum = defaultLimits[kind]
  if (texts.length > maximum) return Effect.fail(notReadable(`${what} returned more than ${maximum} ${kind}`))
  if (isTooLong(texts)) {
    return Effect.fail(notReadable(`${what} returned more than ${defaultLimits.outputLength} characters`))
  }
  return Effect.succeed(texts)
}

const withText = <A>(texts: ReadonlyArray<A>) =>
  texts.length === 0 ? Effect.fail(notReadable("The content has no text")) : Effect.succeed(texts)

/** Calls of a reader or a chunker that were left behind and have not ended. */
const leftBehind = new WeakMap<Reader | Chunker, number>()

/** With as many it is not called. */
const maxLeftBehind = 3

const countOf = (author: Reader | Chunker): number => leftBehind.get(author) ?? 0

/** A call with its promise, which an interruption of its fiber does not end. */
interface Running<A = unknown> {
  readonly fiber: Fiber.Fiber<A, UserCode.UserError>
  readonly isEnded: () => boolean
  readonly onEnd: (listener: () => void) => void
}

const start = <A>(call: (signal: AbortSignal) => UserCode.Returned<A>): Effect.Effect<Running<A>> =>
  Effect.gen(function*() {
    let [open, listener] = [1, () => {}]
    const ended = () => {
      open -= 1
      if (open === 0) listener()
    }
    const tracked = (signal: AbortSignal) => {
      const returned = call(signal)
      if (!Predicate.isPromiseLike(returned)) return returned
      open += 1
      // its `then` is called once
      const promise = Promise.resolve(returned)
      promise.then(ended, ended)
      return promise
    }
    const fiber = yield* Effect.forkDetach(UserCode.call(tracked), { startImmediately: true })
    fiber.addObserver(ended)
    return { fiber, isEnded: () => open === 0, onEnd: (given) => (listener = given) }
  })

// what it holds, such as the bytes of a file, is not released before it ends
const leave = (author: Reader | Chunker, what: string, running: Running) =>
  Effect.suspend(() => {
    running.fiber.interruptUnsafe()
    if (running.isEnded()) return Effect.void
    leftBehind.set(author, countOf(author) + 1)
    running.onEnd(() => leftBehind.set(author, countOf(author) - 1))
    return countOf(author) < maxLeftBehind ? Effect.void : Effect.logError(
      `${what} has ${countOf(author)} calls that were interrupted and have not ended. It is called again when one has`
    )
  })

/** What does not end when it is interrupted is left behind: it must not hold up other uploads. */
const called = Effect.fnUntraced(function*<A>(
  author: Reader | Chunker,
  what: string,
  timeout: Duration.Duration,
  call: (signal: AbortSignal) => UserCode.Returned<A>
) {
  if (countOf(author) >= maxLeftBehind) {
    return yield* new NotReadable({ message: `${what} has not ended its calls for other contents`, isTransient: true })
  }
  const running = yield* start(call)
  return yield* Fiber.join(running.fiber).pipe(
    Effect.catch((error) =>
      error.cause instanceof Unreadable
        ? Effect.fail(notReadable(error.cause.message))
        : Effect.andThen(
          Effect.logWarning(`${what} failed`, Cause.fail(error.cause)),
          Effect.fail(notReadable(`${what} failed`))
        )
    ),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(notReadable(`${what} did not end within ${Duration.format(timeout)}`))
    }),
    Effect.ensuring(leave(author, what, running))
  )
})

export const read = Effect.fnUntraced(function*(reader: Reader, { body, name, type }: FileSource) {
  const { id, read, timeout } = reader
  const what = `The reader '${id}'`
  // a view: what an author changes in it stays theirs
  const bytes = new Uint8Array(body)
  const returned = yield* called(reader, what, timeout, (signal) => read({ bytes, name, type }, signal))
  const documents = yield* withText(yield* checked(what, "documents", returned))
  return documents.map(({ metadata, text }, index): ReadDocument => ({
    id: documents.length === 1 ? name ?? "" : `${name ?? "document"}_${index + 1}`,
    name: name ?? null,
    text,
    metadata
  }))
})

const chunkTimeout = Duration.minutes(1)

const toDocument = (part: Part) => Predicate.isString(part) ? { text: part } : part

export const chunk = Effect.fnUntraced(function*(
  chunker: Chunker,
  documents: ReadonlyArray<ReadDocument>,
  { chunk_overlap: chunkOverlap, chunk_size: chunkSize }: Chunking
) {
  const { chunk, key } = chunker
  const what = `The chunker '${key}'`
  const chunks: Array<Content.Chunk> = []
  for (const { id, metadata, name, text } of documents) {
    const parts = yield* called(
      chunker,
      what,
      chunkTimeout,
      () => chunk({ text, metadata }, { chunkSize, chunkOverlap })
    )
    const cut = yield* checked(what, "chunks", Array.isArray(parts) ? parts.map(toDocument) : parts)
    for (const part of cut) {
      if (part.text.length > maxChunkSize) {
        return yield* notReadable(`${what} returned a chunk with more than ${maxChunkSize} characters`)
      }
      const index = chunks.length + 1
      const given = { ...metadata, ...part.metadata }
      chunks.push({
        id: `${id === "" ? "document" : id}_${index}`,
        name,
        text: part.text,
        metadata: given,
        index,
        size: part.text.length
      })
    }
    if (chunks.length > defaultLimits.chunks) {
      return yield* notReadable(`${what} returned more than ${defaultLimits.chunks} chunks`)
    }
  }
  return yield* withText(chunks)
})
