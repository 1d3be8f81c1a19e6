// `MemoryStore` in memory.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Sort from "@svc-runtime/domain/Sort"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import * as Listeners from "@svc-runtime/engine/signals/Listeners"
import {
  appliedBudget,
  isShortSearch,
  type MemoryBudget,
  shortSearchLimit,
  statisticsBytes,
  topicLimits
} from "@svc-runtime/features/memory/MemoryBudget"
import {
  MemoriesChanged,
  MemoryExists,
  MemoryNotFound,
  TooManyMemories
} from "@svc-runtime/features/memory/MemoryErrors"
import { isSortable } from "@svc-runtime/features/memory/MemoryStore"
import type { MemoryFilter, MemorySource, MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { Effect } from "effect"
import { isErasedIn, isLeasedIn } from "./changeSource.ts"
import type { MemoryDatabase, StoredMemory } from "./MemoryDatabase.ts"

const byteLength = (text: string): number => new TextEncoder().encode(text).length

export const matches =
  ({ agent_id, owner, search, team_id, topics = [] }: MemoryFilter) => ({ memory }: StoredMemory) =>
    Owner.covers(owner, memory.user_id) &&
    (agent_id === undefined || memory.agent_id === agent_id) &&
    (team_id === undefined || memory.team_id === team_id) &&
    topics.every((topic) => memory.topics?.includes(topic) === true) &&
    (search === undefined || memory.memory.toLowerCase().includes(search.toLowerCase()))

const compareBy = ({ by, order }: Sort.Sort) =>
  Sort.compare<StoredMemory>(order, ({ memory }) => isSortable(by) ? memory[by] : null, ({ sequence }) => sequence)

const newestFirst = compareBy({ by: "updated_at", order: "desc" })

const isSame = (one: Memory.Memory, other: Memory.Memory | undefined): boolean =>
  other !== undefined && one.memory === other.memory && one.updated_at === other.updated_at &&
  JSON.stringify(one.topics) === JSON.stringify(other.topics)

/** With another text it has no vector. */
const changed = (
  stored: StoredMemory,
  content: Pick<Memory.Memory, "memory" | "topics" | "updated_at">
): StoredMemory => {
  const memory = { ...stored.memory, ...content }
  return content.memory === stored.memory.memory
    ? { ...stored, memory }
    : { sequence: stored.sequence, memory, version: (stored.version ?? 1) + 1 }
}

export const newestOf = (
  { memories }: Pick<MemoryDatabase["Service"], "memories">,
  user_id: Ids.UserId,
  { agent_id, maxBytes, maxCount, team_id }: MemoryBudget
): ReadonlyArray<Memory.Memory> => {
  const filter = { owner: Owner.user(user_id), agent_id, team_id }
  const found = [...memories.values()].filter(matches(filter)).sort(newestFirst).slice(0, maxCount)
  let bytes = 0
  return found.map(({ memory }) => memory).filter(({ memory }) => (bytes += byteLength(memory)) <= maxBytes)
}

export const make = (database: MemoryDatabase["Service"], responseLimit: number, memoryLimit: number) => {
  const { memories, memoryErasures, memoryKeys } = database

  const newestOfAll = (count: number) => [...memories.values()].sort(newestFirst).slice(0, count)
  const all = (filter: MemoryFilter) =>
    (isShortSearch(filter) ? newestOfAll(shortSearchLimit) : [...memories.values()]).filter(matches(filter))
  const ofUser = (user_id: Ids.UserId) => all({ owner: Owner.user(user_id) })

  const listeners = Listeners.make()

  const insert = (memory: Memory.Memory) => {
    memories.set(memory.memory_id, { sequence: database.next(), memory })
    listeners.notify()
  }

  const find = (id: Memory.Id, owner: Owner.Owner): StoredMemory | undefined => {
    const found = memories.get(id)
    return found !== undefined && Owner.covers(owner, found.memory.user_id) ? found : undefined
  }

  const newest = (user_id: Ids.UserId, budget: MemoryBudget) => newestOf(database, user_id, budget)

  /** Whether there was room for the memory. */
  const change = (user_id: Ids.UserId, wanted: Memory.Change, source: MemorySource, at: number): boolean => {
    if (wanted._tag === "Create") {
      if (ofUser(user_id).length >= memoryLimit || memories.has(wanted.memory_id)) return false
      const { agent_id, run_id, session_id, team_id } = source
      const { memory, memory_id, topics } = wanted
      const times = { created_at: at, updated_at: at }
      insert({ memory_id, memory, topics, user_id, agent_id, team_id, run_id, session_id, ...times })
      return true
    }
    const found = find(wanted.memory_id, Owner.user(user_id))
    if (found === undefined) return true
    if (wanted._tag === "Remove") memories.delete(wanted.memory_id)
    else {
      const { memory, topics } = wanted
      memories.set(wanted.memory_id, changed(found, { memory, topics, updated_at: at }))
      listeners.notify()
    }
    return true
  }

  return {
    create: (memory) =>
      Effect.suspend((): ReturnType<MemoryStore["Service"]["create"]> => {
        const { memory_id, user_id } = memory
        if (memories.has(memory_id)) return Effect.fail(new MemoryExists({ memory_id }))
        if (user_id !== null && ofUser(user_id).length >= memoryLimit) {
          return Effect.fail(new TooManyMemories({ user_id, limit: memoryLimit }))
        }
        insert(memory)
        return Effect.void
      }),
    get: (id, owner) =>
      Effect.suspend(() => {
        const found = find(id, owner)
        return found === undefined ? Effect.fail(new MemoryNotFound({ memory_id: id })) : Effect.succeed(found.memory)
      }),
    list: (filter, page, sort) =>
      Effect.suspend((): ReturnType<MemoryStore["Service"]["list"]> => {
        const found = all(filter).sort(compareBy(sort))
        const listed = Pagination.slice(page, found).map(({ memory }) => memory)
        const bytes = listed.reduce((sum, memory) => sum + byteLength(JSON.stringify(memory)), 0)
        return bytes > responseLimit
          ? Effect.fail(new ResponseTooLarge({ subject: "memories", bytes, limit: responseLimit }))
          : Effect.succeed({ memories: listed, total: found.length })
      }),
    replace: (id, owner, { memory, topics }, at) =>
      Effect.suspend(() => {
        const found = find(id, owner)
        if (found === undefined) return Effect.fail(new MemoryNotFound({ memory_id: id }))
        const replaced = changed(found, { memory, topics, updated_at: at })
        memories.set(id, replaced)
        listeners.notify()
        return Effect.succeed(replaced.memory)
      }),
    remove: (ids, owner) =>
      Effect.sync(() => {
        for (const id of ids) if (find(id, owner) !== undefined) memories.delete(id)
      }),
    topics: (owner) =>
      Effect.sync(() => {
        const found = all({ owner }).sort(newestFirst).slice(0, topicLimits.memories)
        return [...new Set(found.flatMap(({ memory }) => memory.topics ?? []))].sort().slice(0, topicLimits.topics)
      }),
    statistics: (owner, page) =>
      Effect.suspend((): ReturnType<MemoryStore["Service"]["statistics"]> => {
        const counts = new Map<Ids.UserId, Memory.UserCount>()
        for (const { memory: { updated_at, user_id } } of all({ owner })) {
          if (user_id === null) continue
          const { memories = 0, updated_at: last = 0 } = counts.get(user_id) ?? {}
          counts.set(user_id, { user_id, memories: memories + 1, updated_at: Math.max(last, updated_at) })
        }
        const users = [...counts.values()].sort((left, right) =>
          right.updated_at - left.updated_at || (left.user_id < right.user_id ? -1 : 1)
        )
        const listed = Pagination.slice(page, users)
        const bytes = listed.length * statisticsBytes
        return bytes > responseLimit
          ? Effect.fail(new ResponseTooLarge({ subject: "memoryUsers", bytes, limit: responseLimit }))
          : Effect.succeed({ users: listed, total: users.length })
      }),
    relevant: (user_id, budget) => Effect.sync(() => newest(user_id, budget)),
    apply: (user_id, changes, source, at) =>
      Effect.sync(() => {
        const isErased = isErasedIn(database, user_id, source)
        if (isErased || !isLeasedIn(database, source) || memoryKeys.has(source.key)) {
          return { isNew: false, isErased, refused: 0, memories: newest(user_id, appliedBudget) }
        }
        memoryKeys.set(source.key, { user_id, session_id: source.session_id })
        const last = Memory.lastChanges(changes)
        // what is removed makes room for what is new
        const ordered = [
          ...last.filter(({ _tag }) => _tag !== "Create"),
          ...last.filter(({ _tag }) => _tag === "Create")
        ]
        const refused = ordered.filter((wanted) => !change(user_id, wanted, source, at)).length
        return { isNew: true, isErased, refused, memories: newest(user_id, appliedBudget) }
      }),
    replaceAll: (user_id, expected, memory, others = 0) =>
      Effect.suspend(() => {
        const found = ofUser(user_id)
        const known = new Map(expected.map((one) => [one.memory_id, one]))
        const same = found.filter((one) => isSame(one.memory, known.get(one.memory.memory_id)))
        if (found.length !== known.size + others || same.length !== known.size) {
          return Effect.fail(new MemoriesChanged({ user_id }))
        }
        for (const id of known.keys()) memories.delete(id)
        insert(memory)
        return Effect.void
      }),
    removeOf: (user_id) =>
      Effect.sync(() => {
        memoryErasures.set(user_id, database.next())
        const found = ofUser(user_id)
        for (const { memory } of found) memories.delete(memory.memory_id)
        for (const [key, used] of memoryKeys) if (used.user_id === user_id) memoryKeys.delete(key)
        return found.length
      }),
    follow: (onWrite) => Effect.sync(() => listeners.follow(onWrite))
  } satisfies MemoryStore["Service"]
}
