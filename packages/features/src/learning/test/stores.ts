// The store of learnings, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { newId, runId, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LearningStore } from "../LearningStore.ts"
import { learning, newestFirst } from "./Learnings.ts"

/** Learnings of as many users. */
const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_learnings (learning_id, learning_type, namespace, agent_id, user_id, session_id, content, created_at, updated_at)
    select 'learning-' || number, 'learned_knowledge', 'space-' || number % 1000, 'agent-' || number % 10,
      case number % 2 when 0 then 'user-' || number end, 'session-' || number, '{}', 1, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_learning_keys (key, session_id)
    select 'key-' || number, 'session-' || number from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const learnings = yield* LearningStore
  const [user_id, root_run_id] = [userId(), runId()]
  const learned = learning({ user_id })
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
  return {
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
})

export const stores: CheckedStores = {
  history: { learning: ["tables"] },
  tables: ["svc_learning_keys", "svc_learning_users", "svc_learnings"],
  calls,
  ofOneRow: ["learnings.update"],
  fill
}
