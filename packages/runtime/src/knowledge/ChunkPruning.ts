// Removes the chunks of replaced and removed contents: one repeating job of each database. It works in pieces with
// pauses between them, so that requests reach the database meanwhile.
import { Effect } from "effect"
import * as JobKind from "../jobs/JobKind.ts"
import { ChunkStore } from "./ChunkStore.ts"
import type { VectorStore } from "./VectorStore.ts"

/** After each piece. */
const pause = "20 millis"

/** Of the database, and of the stores of authors. */
export const kind = Effect.fnUntraced(function*(own: ReadonlyArray<VectorStore> = []) {
  const stores = new Set([yield* ChunkStore, ...own])
  return JobKind.repeating({
    name: "chunk_pruning",
    every: "30 seconds",
    handle: Effect.fnUntraced(function*() {
      let total = 0
      for (const store of stores) {
        for (;;) {
          const count = yield* store.prune
          if (count === 0) break
          total += count
          yield* Effect.sleep(pause)
        }
      }
      if (total > 0) yield* Effect.logInfo(`Knowledge: ${total} chunk(s) of replaced and removed contents removed`)
    })
  })
})
