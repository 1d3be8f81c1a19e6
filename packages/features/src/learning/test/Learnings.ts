// Learnings as the tests of their store need them. They are new each time.
import * as Owner from "@svc-runtime/domain/Owner"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Option } from "effect"
import * as Learning from "../Learning.ts"
import { LearningStore } from "../LearningStore.ts"

export const start = 1_700_000_000

export const learning = (fields: Partial<Learning.Learning> = {}): Learning.Learning => ({
  learning_id: Learning.Id.make(newId("learning")),
  learning_type: "learned_knowledge",
  namespace: null,
  user_id: null,
  agent_id: null,
  team_id: null,
  session_id: null,
  entity_id: null,
  entity_type: null,
  content: { title: "Deploys", learning: "They are slow on Mondays." },
  metadata: null,
  created_at: start,
  updated_at: start,
  ...fields
})

export const create = (one: Learning.Learning) => LearningStore.use((store) => Effect.as(store.create(one), one))

/** Undefined when it is not there. */
export const find = (one: Learning.Learning, owner: Owner.Owner = Owner.anyone) =>
  LearningStore.use((store) => Effect.map(store.find(one.learning_id, owner), Option.getOrUndefined))

export const everything = { page: 1, limit: 1_000 }
export const newestFirst = { by: undefined, order: "desc" } as const
