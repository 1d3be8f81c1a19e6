// Plain texts that are read and cut faster than a process starts. They would also wait for the process of a large file.
import { Effect, Result } from "effect"
import { chunkDocuments } from "./chunkers/chunkDocuments.ts"
import type { Chunking } from "./Chunking.ts"
import type { Chunk, ReadDocument, Source } from "./Document.ts"
import { chooseReader } from "./ReaderCatalogue.ts"
import type { ReaderLimits } from "./ReaderLimits.ts"
import { readSource } from "./readers/readSource.ts"
import { Unreadable } from "./Unreadable.ts"

/** With so few characters, work that grows with their square takes milliseconds too. */
const maxLength = 4096

/** Their readers decode only. */
const plain: ReadonlySet<string> = new Set(["text", "markdown"])

export const isSmall = (source: Source): boolean =>
  ("bytes" in source ? source.bytes : source.text).length <= maxLength && plain.has(chooseReader(source).id)

export const areSmall = (documents: ReadonlyArray<ReadDocument>): boolean =>
  documents.length <= 1 && documents.every(({ text }) => text.length <= maxLength)

export const read = readSource

export const chunk = (
  documents: ReadonlyArray<ReadDocument>,
  chunking: Chunking | undefined,
  limits: ReaderLimits
): Effect.Effect<ReadonlyArray<Chunk>, Unreadable> =>
  Effect.suspend(() =>
    Effect.fromResult(Result.try({
      try: () => [...chunkDocuments(documents, chunking, limits)],
      catch: (error) =>
        error instanceof Unreadable ? error : new Unreadable({
          reason: "broken",
          message: `The content could not be processed: ${error instanceof Error ? error.message : String(error)}`
        })
    }))
  )
