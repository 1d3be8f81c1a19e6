// Updates of learnings by agents, as the tests of their store need them.
import { newId, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import type { LearningScope, LearningUpdate } from "../LearningStore.ts"

export const scopeOf = (fields: Partial<LearningScope> = {}): LearningScope => ({
  user_id: userId(),
  session_id: sessionId(),
  namespace: newId("namespace"),
  owner: null,
  types: ["user_profile", "user_memory", "session_context", "entity_memory", "decision_log", "learned_knowledge"],
  ...fields
})

export const updateOf = (scope: LearningScope, fields: Partial<LearningUpdate> = {}): LearningUpdate => ({
  ...scope,
  key: newId("key"),
  root_run_id: null,
  ids: [],
  change: () => [],
  ...fields
})
