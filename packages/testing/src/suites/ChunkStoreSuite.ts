// What every `ChunkStore` has to do. The layer also gives the contents that the chunks belong to.
import { layer } from "@effect/vitest"
import type { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import type { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import type { Layer } from "effect"
import { answering } from "./knowledge/answering.ts"
import { changing } from "./knowledge/changing.ts"
import { embedding } from "./knowledge/embedding.ts"
import { filtering } from "./knowledge/filtering.ts"
import { besideContents, publishing } from "./knowledge/publishing.ts"
import { searching, searchingByWords } from "./knowledge/searching.ts"

export const suite = <E>(name: string, stores: Layer.Layer<ChunkStore | ContentStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ChunkStore, ${name}`, (it) => {
    publishing(it)
    besideContents(it)
    changing(it)
    searching(it)
    searchingByWords(it)
    filtering(it)
    embedding(it)
    answering(it)
  })

/** What a store of an author has to do (`Knowledge.make({ vectorStore })`). */
export const own = <E>(name: string, stores: Layer.Layer<ChunkStore | ContentStore, E>) =>
  layer(stores, { excludeTestServices: true })(`VectorStore, ${name}`, (it) => {
    publishing(it)
    searching(it)
    filtering(it)
    embedding(it)
  })
