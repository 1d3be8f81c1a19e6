// Memories as the tests of their store need them.
import * as Memory from "@svc-runtime/domain/Memory"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import type { MemorySource } from "../MemoryStore.ts"
import { MemoryStore } from "../MemoryStore.ts"

export const memoryId = () => Memory.Id.make(newId("memory"))

export const everything = { page: 1, limit: 1000 }
export const newestFirst = { by: "updated_at", order: "desc" } as const

export const memory = (fields: Partial<Memory.Memory> = {}): Memory.Memory => ({
  memory_id: memoryId(),
  memory: "likes tea",
  topics: [],
  user_id: userId(),
  agent_id: null,
  team_id: null,
  run_id: null,
  session_id: null,
  created_at: 1_700_000_000,
  updated_at: 1_700_000_000,
  ...fields
})

export const source = (fields: Partial<MemorySource> = {}): MemorySource => ({
  run_id: null,
  root_run_id: null,
  session_id: null,
  agent_id: null,
  team_id: null,
  key: newId("key"),
  ...fields
})

export const create = (text: string, topics: ReadonlyArray<string> = []): Memory.Change => ({
  _tag: "Create",
  memory_id: memoryId(),
  memory: text,
  topics
})

export const store = (...memories: ReadonlyArray<Memory.Memory>) =>
  MemoryStore.use((memoryStore) => Effect.forEach(memories, memoryStore.create))

/** The memories of a user, newest first. */
export const allOf = (user_id: Memory.Memory["user_id"]) =>
  MemoryStore.use((memoryStore) =>
    Effect.map(
      memoryStore.list({ owner: user_id === null ? Owner.none : Owner.user(user_id) }, everything, newestFirst),
      ({ memories }) => memories
    )
  )

export const textsOf = (user_id: Memory.Memory["user_id"]) =>
  Effect.map(allOf(user_id), (memories) => memories.map(({ memory }) => memory).sort())
