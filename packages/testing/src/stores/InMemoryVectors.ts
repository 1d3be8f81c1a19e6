// `MemoryVectorStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Vector from "@svc-runtime/domain/Vector"
import { comparedAtOnce } from "@svc-runtime/features/memory/MemoryBudget"
import type { Found, MemoryVectorStore, TextVector } from "@svc-runtime/features/memory/MemoryVectorStore"
import { Effect } from "effect"
import * as InMemoryMemories from "./InMemoryMemories.ts"
import type { MemoryDatabase, StoredMemory } from "./MemoryDatabase.ts"

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** Undefined if there is nothing to compare. */
const similarityOf = ({ vector }: StoredMemory, text: TextVector | undefined): number | undefined =>
  text !== undefined && vector?.model === text.model && vector.numbers?.length === text.vector.length
    ? Vector.cosine(vector.numbers, text.vector)
    : undefined

const found = (stored: StoredMemory, text: TextVector | undefined): Found => ({
  memory: stored.memory,
  similarity: similarityOf(stored, text)
})

export const make = (database: MemoryDatabase["Service"]) => {
  const { memories, withoutMemory } = database

  const compared = (filter: Parameters<typeof InMemoryMemories.matches>[0], text: TextVector, count: number) =>
    [...memories.values()].filter(InMemoryMemories.matches(filter)).map((stored) => found(stored, text))
      .flatMap(({ memory, similarity }) => similarity === undefined ? [] : [{ memory, similarity }])
      .sort((left, right) => right.similarity - left.similarity)
      .slice(0, count)

  const store: MemoryVectorStore["Service"] = {
    missing: (model, { maxBytes, maxCount }) =>
      Effect.sync(() => {
        let bytes = 0
        return [...memories.values()].filter(({ vector }) => vector?.model !== model).slice(0, maxCount)
          .map(({ memory: { memory, memory_id }, version = 1 }) => ({ memory_id, memory, version }))
          .filter(({ memory }, place) => (bytes += byteLength(memory)) <= maxBytes || place === 0)
      }),
    put: (model, vectors) =>
      Effect.sync(() => {
        const fitting = vectors.filter(({ memory_id, version }) => {
          const stored = memories.get(memory_id)
          return stored !== undefined && (stored.version ?? 1) === version
        })
        for (const { memory_id, vector } of fitting) {
          const stored = memories.get(memory_id)
          if (stored !== undefined) memories.set(memory_id, { ...stored, vector: { model, numbers: vector } })
        }
        return fitting.length
      }),
    nearest: (filter, text) =>
      Effect.sync(() => filter.owner._tag === "User" ? compared(filter, text, comparedAtOnce.search) : []),
    forRun: (user_id, budget, text) =>
      Effect.sync(() => {
        if (withoutMemory.has(user_id)) return []
        const { agent_id, team_id } = budget
        const newest = InMemoryMemories.newestOf(database, user_id, budget)
        const filter = { owner: Owner.user(user_id), agent_id, team_id }
        const near = text === undefined ? [] : compared(filter, text, comparedAtOnce.context)
        const nearIds = new Set(near.map(({ memory }) => memory.memory_id))
        const others = newest.filter(({ memory_id }) => !nearIds.has(memory_id))
        return [...near, ...others.map((memory): Found => ({ memory, similarity: undefined }))]
      }),
    countOf: (user_id) =>
      Effect.sync(() =>
        [...memories.values()].filter(({ memory, vector }) =>
          memory.user_id === user_id && vector?.numbers !== undefined
        ).length
      )
  }
  return store
}
