// The stores of memories, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { newId, runId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { MemoryStore } from "../MemoryStore.ts"
import { MemoryVectorStore } from "../MemoryVectorStore.ts"
import { create, memory, source } from "./SampleMemories.ts"

/** Memories of as many users. */
const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_memories (memory_id, memory, topics, user_id, agent_id, team_id, created_at, updated_at)
    select 'memory-' || number, 'likes tea', '[]', 'user-' || number,
      case number % 2 when 0 then 'agent' end, case number % 2 when 1 then 'team' end, 1, 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_memory_keys (key, session_id, user_id)
    select 'key-' || number, 'session-' || number, 'user-' || number from generate_series(1, ${rows}::int) as number`
})

const vectorCalls = Effect.gen(function*() {
  const [memories, vectors] = [yield* MemoryStore, yield* MemoryVectorStore]
  const [user_id, model] = [userId(), newId("model")]
  const stored = memory({ user_id })
  yield* memories.create(stored)
  const { memory_id } = stored
  const owner = Owner.user(user_id)
  const vector = Float32Array.of(1, 0)
  const text = { model, vector }
  const page = { page: 1, limit: 100 }
  const budget = { maxBytes: 1000, maxCount: 10 }
  return {
    "memories.get": memories.get(memory_id, owner),
    "memories.replace": memories.replace(memory_id, owner, { memory: "likes milk", topics: [] }, 1),
    "memories.topics": memories.topics(owner),
    "memories.statistics": memories.statistics(owner, page),
    "memoryVectors.missing": vectors.missing(model, budget),
    "memoryVectors.put": vectors.put(model, [{ memory_id, version: 1, vector }]),
    "memoryVectors.nearest": vectors.nearest({ owner }, text),
    "memoryVectors.forRun": vectors.forRun(user_id, budget, text),
    "memoryVectors.countOf": vectors.countOf(user_id),
    "memories.replaceAll": memories.replaceAll(user_id, [], memory({ user_id }))
  }
})

const calls = Effect.gen(function*() {
  const memories = yield* MemoryStore
  const [user_id, root_run_id] = [userId(), runId()]
  const known = memory({ user_id })
  const owner = Owner.user(user_id)
  const page = { page: 1, limit: 20 }
  return {
    "memories.create": memories.create(known),
    "memories.list": memories.list({ owner }, page, { by: "updated_at", order: "desc" }),
    "memories.relevant": memories.relevant(user_id, { maxBytes: 1000, maxCount: 10 }),
    "memories.apply": memories.apply(user_id, [create("likes milk")], source({ root_run_id }), 1),
    "memories.remove": memories.remove([known.memory_id], owner),
    "memories.removeOf": memories.removeOf(user_id),
    ...(yield* vectorCalls)
  }
})

export const stores: CheckedStores = {
  history: { memory: ["tables"] },
  tables: ["svc_memories", "svc_memory_keys", "svc_memory_users", "svc_memory_vectors"],
  calls,
  ofOneRow: ["memories.replace"],
  fill
}
