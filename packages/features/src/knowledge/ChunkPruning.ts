// Removes contents whose removal has begun, and the chunks of replaced and removed contents: one repeating job of each
// database. It works in pieces with pauses between them, so that requests reach the database meanwhile.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Effect } from "effect"
import { ChunkStore } from "./ChunkStore.ts"
import { ContentStore } from "./ContentStore.ts"
import type { VectorStore } from "./VectorStore.ts"

/** After each piece. */
const pause = "20 millis"

const inPieces = Effect.fnUntraced(function*<E>(prune: Effect.Effect<number, E>) {
  let total = 0
  for (;;) {
    const count = yield* prune
    if (count === 0) return total
    total += count
    yield* Effect.sleep(pause)
  }
})

/** Of the database, and of the stores of authors. */
export const kind = Effect.fnUntraced(function*(own: ReadonlyArray<VectorStore> = []) {
  const contents = yield* ContentStore
  const stores = new Set([yield* ChunkStore, ...own])
  return JobKind.repeating({
    name: "chunk_pruning",
    every: "30 seconds",
    handle: Effect.fnUntraced(function*() {
      // their chunks are dead then
      const removed = yield* inPieces(contents.prune)
      if (removed > 0) yield* Effect.logInfo(`Knowledge: ${removed} removed content(s) were deleted`)
      let total = 0
      for (const store of stores) total += yield* inPieces(store.prune)
      if (total > 0) yield* Effect.logInfo(`Knowledge: ${total} chunk(s) of replaced and removed contents removed`)
    })
  })
})
