// Reads documents and cuts them into chunks, in processes of their own: an upload neither blocks nor harms the service.
// Small texts need none.
import { Context, Duration, Effect, Layer, Pool, type Scope } from "effect"
import { type Chunking, type ChunkingOptions, type InvalidChunking, make as makeChunking } from "./Chunking.ts"
import type { Chunk, ReadDocument, Source } from "./Document.ts"
import { toBatches, toSlices } from "./processes/pieces.ts"
import type { ToReader } from "./processes/Protocol.ts"
import { type ReaderProcess, start } from "./processes/ReaderProcess.ts"
import { defaultLimits, type ReaderLimits } from "./ReaderLimits.ts"
import * as SmallTexts from "./SmallTexts.ts"
import { Unreadable } from "./Unreadable.ts"

export interface Options {
  /** Sources that are read at a time. Default: 2. */
  readonly processes?: number | undefined
  /** The memory of the process of one source. Default: 512 MiB. */
  readonly memoryBytes?: number | undefined
  /** The time for one source. Default: 60 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** The time for the annotations of one source: it is read without them if they need more. Default: 10 seconds. */
  readonly annotationsTimeout?: Duration.Input | undefined
  readonly limits?: Partial<ReaderLimits> | undefined
  /** How long a process without a task stays. Default: 30 seconds. */
  readonly timeToLive?: Duration.Input | undefined
  /** The program of the processes. Default: the one beside this module. */
  readonly processFile?: URL | undefined
}

/** Beside this module, also in a bundle that has it as its second entry. */
const defaultFile = import.meta.url.endsWith(".ts")
  ? new URL("./reader-process.ts", import.meta.url)
  : new URL("./reader-process.js", import.meta.url)

const textLength = 1024 * 1024

function* readMessages(source: Source, limits: ReaderLimits): Generator<ToReader> {
  const { name, reader_id, type, withLinks = false, withoutAnnotations = false } = source
  yield {
    _tag: "Begin",
    limits,
    task: { _tag: "Read", name, type, reader_id, withLinks, withoutAnnotations, isText: "text" in source }
  }
  if ("bytes" in source) { for (const bytes of toSlices(source.bytes)) yield { _tag: "Bytes", bytes } }
  else {
    for (let start = 0; start < source.text.length; start += textLength) {
      yield { _tag: "Text", text: source.text.slice(start, start + textLength) }
    }
  }
  yield { _tag: "End" }
}

function* chunkMessages(
  documents: ReadonlyArray<ReadDocument>,
  chunking: Chunking | undefined,
  limits: ReaderLimits
): Generator<ToReader> {
  yield { _tag: "Begin", limits, task: { _tag: "Chunk", chunking } }
  for (const batch of toBatches(documents)) yield { _tag: "Documents", batch }
  yield { _tag: "End" }
}

const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<DocumentReader["Service"], never, Scope.Scope> {
  const limits = { ...defaultLimits, ...options.limits }
  const processLimits = {
    memoryBytes: options.memoryBytes ?? 512 * 1024 * 1024,
    timeout: Duration.fromInputUnsafe(options.timeout ?? "60 seconds"),
    annotationsTimeout: Duration.fromInputUnsafe(options.annotationsTimeout ?? "10 seconds")
  }
  const processes = options.processes ?? 2
  const pool = yield* Pool.makeWithTTL({
    acquire: start(processLimits, options.processFile ?? defaultFile),
    min: 0,
    max: processes,
    // a process keeps its memory, and the libraries that it loaded
    timeToLive: options.timeToLive ?? "30 seconds",
    timeToLiveStrategy: "usage"
  })

  // idle processes can have been killed too
  const retries = Math.max(2, processes)

  const killed = new Unreadable({
    reason: "killed",
    message:
      `The process that read the content was killed ${retries + 1} times: by the system, when it has too little ` +
      "memory, or by an operator"
  })

  const request = <Item extends { readonly text: string }>(messages: () => Iterable<ToReader>, maxLength = Infinity) =>
    Effect.scoped(Effect.gen(function*() {
      const process: ReaderProcess = yield* Pool.get(pool)
      // a process that failed or was interrupted in a task can be in the middle of it
      const items = yield* Effect.onError(
        process.request<Item>(messages(), maxLength),
        () => Pool.invalidate(pool, process)
      )
      if (process.isSpent()) yield* Pool.invalidate(pool, process)
      return items
    })).pipe(
      Effect.retry({ times: retries, while: ({ reason }) => reason === "killed" }),
      Effect.mapError((error) => error.reason === "killed" ? killed : error)
    )

  return {
    read: Effect.fn("DocumentReader.read")((source, maxLength) =>
      maxLength === undefined && SmallTexts.isSmall(source)
        ? SmallTexts.read(source, limits)
        : Effect.catchIf(
          request<ReadDocument>(() => readMessages(source, limits), maxLength),
          ({ reason }) => reason === "annotations",
          () => request<ReadDocument>(() => readMessages({ ...source, withoutAnnotations: true }, limits), maxLength)
        )
    ),
    chunk: Effect.fn("DocumentReader.chunk")(function*(documents, options) {
      const { chunker } = options
      const chunking = chunker === undefined
        ? undefined
        : yield* Effect.fromResult(makeChunking({ ...options, chunker }))
      if (SmallTexts.areSmall(documents)) return yield* SmallTexts.chunk(documents, chunking, limits)
      return yield* request<Chunk>(() => chunkMessages(documents, chunking, limits))
    })
  }
})

export class DocumentReader extends Context.Service<DocumentReader, {
  /** The texts of a source. There is at least one. With `maxLength` one with more text is too large. */
  readonly read: (
    source: Source,
    maxLength?: number
  ) => Effect.Effect<ReadonlyArray<ReadDocument>, Unreadable>
  /** The chunks of the documents of one source. Without a chunker each document is one. */
  readonly chunk: (
    documents: ReadonlyArray<ReadDocument>,
    options: ChunkingOptions
  ) => Effect.Effect<ReadonlyArray<Chunk>, InvalidChunking | Unreadable>
}>()("@svc-runtime/knowledge/DocumentReader") {
  static readonly layer = (options: Options = {}) => Layer.effect(DocumentReader, make(options))
}
