// What every `ChunkStore` has to do. The layer also gives the contents that the chunks belong to.
import { layer } from "@effect/vitest"
import type { Layer } from "effect"
import type { ChunkStore } from "../ChunkStore.ts"
import type { ContentStore } from "../ContentStore.ts"
import { answering } from "./answering.ts"
import { changing } from "./changing.ts"
import { embedding } from "./embedding.ts"
import { filtering } from "./filtering.ts"
import { besideContents, publishing } from "./publishing.ts"
import { searching, searchingByWords } from "./searching.ts"

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
