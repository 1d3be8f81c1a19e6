// Keeps the indexes of chunks: one repeating job of each database. It works in pieces with pauses between them, so that
// requests reach the database meanwhile.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Effect } from "effect"
import { ChunkStore } from "./ChunkStore.ts"
import type { VectorStore } from "./VectorStore.ts"

/** After each piece. */
const pause = "20 millis"

/** Pieces between two reports. */
const reported = 50

/** Of the database, and of the stores of authors. */
export const kind = Effect.fnUntraced(function*(own: ReadonlyArray<VectorStore> = []) {
  const stores = new Set([yield* ChunkStore, ...own])
  return JobKind.repeating({
    name: "chunk_indexing",
    every: "30 seconds",
    timeout: "6 hours",
    handle: Effect.fnUntraced(function*({ report }) {
      let done = 0
      for (const store of stores) {
        for (let piece = 1;; piece++) {
          const count = yield* store.index
          if (count === 0) break
          done += count
          if (piece % reported === 0) yield* report({ done })
          yield* Effect.sleep(pause)
        }
      }
      if (done > 0) {
        yield* Effect.logInfo(`Knowledge: the indexes of vectors are complete again after ${done} change(s)`)
      }
    })
  })
})
