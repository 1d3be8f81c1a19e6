// Calls of the stores of knowledge and of vectors, for the tests of faults.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import {
  at,
  byMeaning,
  byWords,
  chunk,
  embedding,
  everything,
  newContent,
  newestFirst,
  put,
  vector
} from "@svc-runtime/features/knowledge/test/SampleKnowledge"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import { memory } from "@svc-runtime/features/memory/test/SampleMemories"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"

export const knowledgeCalls = Effect.gen(function*() {
  const [contents, chunks] = [yield* ContentStore, yield* ChunkStore]
  const content = yield* put()
  const folder = yield* contents.put(newContent({ instance: content.instance }), { folder: { knowledge_id: "a" } }, at)
  const { content_id, generation, instance } = content
  const filter = { instance, owner: Owner.anyone }
  const key = { ...filter, content_id }
  const query = { ...filter, filter: KnowledgeFilter.everything, limit: 10 }
  const end = { status: "completed", status_message: "" } as const
  const hybrid = { _tag: "Hybrid", text: "part", vector: vector(1, 0, 0, 0), embedding } as const
  const calls = {
    "contents.put": contents.put(newContent(), { body: new Uint8Array(3) }, at),
    "contents.get": contents.get(key),
    "contents.list": contents.list(filter, everything, newestFirst),
    "contents.patch": contents.patch(key, { metadata: { a: 1 } }, at),
    "contents.metadataKeys": contents.metadataKeys(filter),
    "contents.body": contents.body(content),
    "contents.storeBody": contents.storeBody(content, { body: new Uint8Array(3), size: 3 }),
    "contents.report": contents.report(content, { done: 1, total: 2 }),
    "chunks.add": chunks.add(content, embedding, [chunk(0), chunk(1)]),
    "chunks.added": chunks.added(content),
    "chunks.publish": chunks.publish(content),
    "chunks.update": chunks.update(content),
    "chunks.search": chunks.search({ ...query, sought: byWords("part") }),
    "chunks.search, vector": chunks.search({ ...query, sought: byMeaning(1, 0, 0, 0) }),
    "chunks.search, hybrid": chunks.search({ ...query, sought: hybrid }),
    "contents.renew": contents.renew(content),
    "contents.finish": contents.finish(content, end, at),
    "contents.failOrphaned": contents.failOrphaned({ kinds: ["kind"], before: at, status_message: "" }, at),
    "contents.putFile": contents.putFile(folder, newContent({ instance }), {}, at),
    "contents.filesOf": contents.filesOf(folder, undefined),
    "contents.dueFolders": contents.dueFolders({ instance, knowledge_id: "a", source_id: "b", before: at }),
    "contents.outdated": contents.outdated(instance, embedding),
    "contents.publishedChunks": contents.publishedChunks(content),
    "contents.restart": contents.restart(folder, []),
    "contents.hasLaterJob": contents.hasLaterJob({ id: Job.Id.make("job"), key: "key" }, ["kind"]),
    "contents.remove": contents.remove(key),
    "contents.removeAll": contents.removeAll(filter),
    "contents.prune": contents.prune,
    "chunks.remove": chunks.remove({ ...key, generation }),
    "chunks.prune": chunks.prune,
    "chunks.index": chunks.index
  }
  return calls
})

export const vectorCalls = Effect.gen(function*() {
  const [memories, vectors] = [yield* MemoryStore, yield* MemoryVectorStore]
  const [user_id, model] = [userId(), newId("model")]
  const stored = memory({ user_id })
  yield* memories.create(stored)
  const { memory_id } = stored
  const owner = Owner.user(user_id)
  const text = { model, vector: vector(1, 0) }
  const budget = { maxBytes: 1000, maxCount: 10 }
  const calls = {
    "memories.get": memories.get(memory_id, owner),
    "memories.replace": memories.replace(memory_id, owner, { memory: "likes milk", topics: [] }, at),
    "memories.topics": memories.topics(owner),
    "memories.statistics": memories.statistics(owner, everything),
    "memoryVectors.missing": vectors.missing(model, budget),
    "memoryVectors.put": vectors.put(model, [{ memory_id, version: 1, vector: vector(1, 0) }]),
    "memoryVectors.nearest": vectors.nearest({ owner }, text),
    "memoryVectors.forRun": vectors.forRun(user_id, budget, text),
    "memoryVectors.countOf": vectors.countOf(user_id),
    "memories.replaceAll": memories.replaceAll(user_id, [], memory({ user_id }))
  }
  return calls
})
