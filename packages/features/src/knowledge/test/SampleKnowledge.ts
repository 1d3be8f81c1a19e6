// Contents and chunks as the tests of their stores need them.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { type ChunkQuery, ChunkStore } from "../ChunkStore.ts"
import { ContentStore, type NewContent } from "../ContentStore.ts"
import * as Knowledge from "../Knowledge.ts"

export const at = 1_700_000_000
export const everything = { page: 1, limit: 1000 }
export const newestFirst = { by: "created_at", order: "desc" } as const

export const contentId = () => Knowledge.ContentId.make(newId("content"))
export const instanceName = () => newId("manuals")

export const newContent = (fields: Partial<NewContent> = {}): NewContent => ({
  instance: instanceName(),
  content_id: contentId(),
  user_id: null,
  name: "manual.txt",
  description: null,
  type: "text/plain",
  size: null,
  metadata: null,
  origin: null,
  digest: null,
  ...fields
})

export const put = (fields: Partial<NewContent> = {}) =>
  ContentStore.use((contents) => contents.put(newContent(fields), {}, at))

export const embedding: Knowledge.Embedding = { model: "demo:small", dimensions: 4 }

export const vector = (...numbers: ReadonlyArray<number>): Float32Array => Float32Array.from(numbers)

export const chunk = (index: number, fields: Partial<Knowledge.EmbeddedChunk> = {}): Knowledge.EmbeddedChunk => ({
  id: `manual_${index}`,
  name: "manual",
  text: `part ${index}`,
  metadata: {},
  index,
  size: 6,
  vector: vector(1, 0, 0, index / 1000),
  ...fields
})

/** Stores a content with these chunks, found by searches. */
export const publish = Effect.fnUntraced(function*(
  fields: Partial<NewContent>,
  chunks: ReadonlyArray<Knowledge.EmbeddedChunk>,
  model: Knowledge.Embedding | null = embedding
) {
  const store = yield* ChunkStore
  const content = yield* put(fields)
  yield* store.add(content, model, chunks)
  yield* store.publish(content)
  yield* ContentStore.use((contents) => contents.finish(content, { status: "completed", status_message: "" }, at))
  return content
})

export const byWords = (text: string): ChunkQuery["sought"] => ({ _tag: "Keyword", text })
export const byMeaning = (...numbers: ReadonlyArray<number>): ChunkQuery["sought"] => ({
  _tag: "Vector",
  vector: vector(...numbers),
  embedding
})

export const search = (
  instance: string,
  sought: ChunkQuery["sought"],
  query: Partial<Pick<ChunkQuery, "owner" | "filter" | "limit">> = {}
) =>
  ChunkStore.use((store) =>
    store.search({
      instance,
      sought,
      owner: Owner.anyone,
      filter: KnowledgeFilter.everything,
      limit: 10,
      ...query
    })
  )

export const idsOf = (found: ReadonlyArray<Knowledge.Found>): ReadonlyArray<string> =>
  found.map(({ chunk }) => chunk.id)
