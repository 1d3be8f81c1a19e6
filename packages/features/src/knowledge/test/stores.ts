// The stores of knowledge, for the tests that call all stores.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
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
} from "./SampleKnowledge.ts"

const calls = Effect.gen(function*() {
  const [contents, chunks] = [yield* ContentStore, yield* ChunkStore]
  const content = yield* put()
  const folder = yield* contents.put(newContent({ instance: content.instance }), { folder: { knowledge_id: "a" } }, at)
  const { content_id, generation, instance } = content
  const filter = { instance, owner: Owner.anyone }
  const key = { ...filter, content_id }
  const query = { ...filter, filter: KnowledgeFilter.everything, limit: 10 }
  const end = { status: "completed", status_message: "" } as const
  const hybrid = { _tag: "Hybrid", text: "part", vector: vector(1, 0, 0, 0), embedding } as const
  return {
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
    "contents.failOrphaned": contents.failOrphaned({ before: at, status_message: "" }, at),
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
})

const instance = "handbook"

/** Contents with a chunk. One in a hundred is a folder, and the next ninety are its files. */
const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_contents (instance, content_id, status, generation, folder, folder_id, created_at, updated_at)
    select ${instance}, 'content-' || number,
      case number % 1000 when 1 then 'processing' else 'completed' end, 1,
      case number % 100 when 0 then '{"knowledge_id":"a","source_id":"b"}'::jsonb end,
      case when number % 100 between 1 and 90 then 'content-' || number - number % 100 end, number, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`insert into svc_content_bodies (content_seq, place, bytes) select seq, 0, '' from svc_contents`
  yield* sql`
    insert into svc_chunks (content_seq, generation, place, metadata) select seq, 1, 0, '{}' from svc_contents`
  yield* sql`insert into svc_dead_chunks (content_seq) select seq from svc_contents order by seq limit 10
    on conflict do nothing`
})

/** About folders. */
const planned = Effect.gen(function*() {
  const contents = yield* ContentStore
  const folder = yield* contents.put(newContent({ instance }), { folder: { knowledge_id: "a", source_id: "b" } }, at)
  const file = newContent({ instance })
  const due = { instance, knowledge_id: "a", source_id: "b", before: 1000 }
  return {
    "contents.putFile": contents.putFile(folder, file, {}, at),
    "contents.filesOf": contents.filesOf(folder, file.content_id),
    "contents.dueFolders": contents.dueFolders(due),
    "contents.restart": contents.restart(folder, []),
    "contents.failOrphaned": contents.failOrphaned({ before: 1, status_message: "" }, at),
    "contents.hasLaterJob": contents.hasLaterJob({ id: Job.Id.make("job"), key: "key" }, ["kind", "other"]),
    "contents.remove": contents.remove({ ...folder, owner: Owner.anyone }),
    "contents.removeAll": contents.removeAll({ instance, owner: Owner.anyone }),
    "contents.prune": contents.prune
  }
})

export const stores: CheckedStores = {
  history: { knowledge: ["tables"] },
  tables: [
    "svc_chunk_texts",
    "svc_chunks",
    "svc_content_bodies",
    "svc_content_removals",
    "svc_contents",
    "svc_dead_chunks",
    "svc_dead_vectors",
    "svc_knowledge_models",
    "svc_vector_indexes"
  ],
  calls,
  ofOneRow: ["contents.get", "contents.patch"],
  fill,
  planned,
  small: ["svc_content_removals", "svc_chunk_texts", "svc_dead_chunks", "svc_vector_indexes", "svc_knowledge_models"]
}
