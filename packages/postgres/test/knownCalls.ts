// Calls of the stores of memories and learnings, for the tests of plans and of faults.
import * as Owner from "@svc-runtime/domain/Owner"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { LearningStore } from "@svc-runtime/features/learning/LearningStore"
import { learning, newestFirst } from "@svc-runtime/features/learning/test/Learnings"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { create, memory, source } from "@svc-runtime/features/memory/test/SampleMemories"
import { newId, runId, session, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Memories and learnings of as many users. */
export const fillKnown = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_memories (memory_id, memory, topics, user_id, agent_id, team_id, created_at, updated_at)
    select 'memory-' || number, 'likes tea', '[]', 'user-' || number,
      case number % 2 when 0 then 'agent' end, case number % 2 when 1 then 'team' end, 1, 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_learnings (learning_id, learning_type, namespace, agent_id, user_id, session_id, content, created_at, updated_at)
    select 'learning-' || number, 'learned_knowledge', 'space-' || number % 1000, 'agent-' || number % 10,
      case number % 2 when 0 then 'user-' || number end, 'session-' || number, '{}', 1, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_audit (at, actor, credential, action, subject_kind, subject_id, counts)
    select 1, null, 'none', 'memory_deleted', 'user', 'user-' || number, '{}'
    from generate_series(1, ${rows}::int) as number`
  for (const table of ["svc_memory_keys", "svc_learning_keys"]) {
    yield* sql`
      insert into ${sql(table)} (key, session_id${sql.literal(table === "svc_memory_keys" ? ", user_id" : "")})
      select 'key-' || number, 'session-' || number
        ${sql.literal(table === "svc_memory_keys" ? ", 'user-' || number" : "")}
      from generate_series(1, ${rows}::int) as number`
  }
})

export const knownCalls = Effect.gen(function*() {
  const [memories, learnings] = [yield* MemoryStore, yield* LearningStore]
  const [settings, sessions] = [yield* MemorySettingsStore, yield* SessionStore]
  const [user_id, root_run_id] = [userId(), runId()]
  const [known, learned] = [memory({ user_id }), learning({ user_id })]
  const owner = Owner.user(user_id)
  const page = { page: 1, limit: 20 }
  const scope = {
    user_id,
    session_id: sessionId(),
    namespace: newId("namespace"),
    owner: null,
    types: ["user_profile", "session_context", "learned_knowledge"] as const
  }
  const { user_id: _, ...unowned } = scope
  const update = { ...scope, key: newId("key"), root_run_id, ids: [learned.learning_id], change: () => [learned] }
  const byTime = { by: "last_learning_updated_at", order: "desc" } as const
  const stored = session()
  yield* sessions.create(stored)
  const request = { role: "memory_model", model: { id: "m", provider: "p" }, usage: { input_tokens: 1 } }
  const calls = {
    "sessions.addUsage": sessions.addUsage(stored.session_id, request, 1),
    "memorySettings.isEnabled": settings.isEnabled(user_id),
    "memorySettings.set": settings.set(user_id, true, 1),
    "memorySettings.listDisabled": settings.listDisabled(user_id, 10),
    "memorySettings.disable": settings.disable([user_id], 1),
    "memorySettings.atomically": settings.atomically(settings.set(user_id, false, 1)),
    "memorySettings.recordErasure": settings.recordErasure({
      user_id,
      action: "memory_deleted",
      actor: null,
      credential: "key",
      at: 1,
      counts: {}
    }),
    "memorySettings.erasuresOf": settings.erasuresOf(user_id),
    "memories.create": memories.create(known),
    "memories.list": memories.list({ owner }, page, { by: "updated_at", order: "desc" }),
    "memories.relevant": memories.relevant(user_id, { maxBytes: 1000, maxCount: 10 }),
    "memories.apply": memories.apply(user_id, [create("likes milk")], source({ root_run_id }), 1),
    "memories.remove": memories.remove([known.memory_id], owner),
    "memories.removeOf": memories.removeOf(user_id),
    "learnings.create": learnings.create(learned),
    "learnings.find": learnings.find(learned.learning_id, owner),
    "learnings.list": learnings.list({ owner, includesShared: true, fields: {} }, page, newestFirst),
    "learnings.list, of all users by agent": learnings.list(
      { owner: Owner.anyone, includesShared: true, fields: { agent_id: "agent-7" } },
      page,
      newestFirst
    ),
    "learnings.list, proposed": learnings.list(
      { owner: Owner.anyone, includesShared: true, isProposed: true, fields: {} },
      page,
      newestFirst
    ),
    "learnings.listUsers": learnings.listUsers({ owner: Owner.anyone, learning_type: undefined }, page, byTime),
    "learnings.update": learnings.update(learned.learning_id, owner, { metadata: null, updated_at: 2 }),
    "learnings.relevant": learnings.relevant(scope),
    "learnings.relevant, without a user": learnings.relevant({ ...unowned, user_id: undefined }),
    "learnings.relevant, global": learnings.relevant({ ...scope, namespace: "global" }),
    "learnings.apply": learnings.apply(update, 1),
    "learnings.remove": learnings.remove(learned.learning_id, owner),
    "learnings.removeOf": learnings.removeOf(user_id)
  }
  return calls
})
