// Memories: short texts about a user that agents and people keep, and that later runs of the user are shown.
import { Schema } from "effect"
import { exact, UserId, UserIdInput } from "./Ids.ts"
import { notEmpty } from "./NonEmptyText.ts"
import * as Run from "./Run.ts"
import { optional } from "./schema/optional.ts"
import * as Session from "./Session.ts"
import { DateTime, EpochSeconds, toDateTime } from "./Time.ts"
import * as Tokens from "./Tokens.ts"

export const Id = Schema.String.check(Schema.isMaxLength(512), exact).pipe(Schema.brand("MemoryId"))
export type Id = typeof Id.Type

export const maxLength = 5000

/** One statement about the user. */
export const Text = Schema.String.check(
  notEmpty,
  Schema.isMaxLength(maxLength),
  exact
)

export const maxTopics = 100

export const Topics = Schema.Array(Schema.String.check(Schema.isMaxLength(200), exact))
  .check(
    Schema.isMaxLength(maxTopics, {
      message: `List should have at most ${maxTopics} items`,
      problem: "too_long"
    })
  )

const text = Schema.NullOr(Schema.String)

/** A stored memory. */
export const Memory = Schema.Struct({
  memory_id: Id,
  memory: Schema.String,
  topics: Schema.NullOr(Schema.Array(Schema.String)),
  user_id: Schema.NullOr(UserId),
  agent_id: text,
  team_id: text,
  /** The run that it comes from; null if a person wrote it. The run can be gone: memories belong to the user. */
  run_id: Schema.NullOr(Run.Id),
  session_id: Schema.NullOr(Session.Id),
  created_at: EpochSeconds,
  updated_at: EpochSeconds
})
export type Memory = typeof Memory.Type

/** A memory on the wire. */
export const Record = Schema.Struct({
  memory_id: Id,
  memory: Schema.String,
  topics: Schema.NullOr(Schema.Array(Schema.String)),
  agent_id: text,
  team_id: text,
  user_id: Schema.NullOr(UserId),
  updated_at: Schema.NullOr(DateTime)
}).annotate({ identifier: "UserMemorySchema" })
export type Record = typeof Record.Type

export const toRecord = ({ agent_id, memory, memory_id, team_id, topics, updated_at, user_id }: Memory): Record => ({
  memory_id,
  memory,
  topics,
  agent_id,
  team_id,
  user_id,
  updated_at: toDateTime(updated_at)
})

/** The body of both a new and a replaced memory. */
export const Write = Schema.Struct({
  memory: Text,
  user_id: optional(UserIdInput),
  topics: optional(Topics)
}).annotate({ identifier: "UserMemoryCreateSchema" })
export type Write = typeof Write.Type

export const Remove = Schema.Struct({
  memory_ids: Schema.Array(Id).check(Schema.isMinLength(1)),
  user_id: optional(UserIdInput)
}).annotate({ identifier: "DeleteMemoriesRequest" })
export type Remove = typeof Remove.Type

/** How many memories a user has, and when the last one changed. */
export interface UserCount {
  readonly user_id: UserId
  readonly memories: number
  readonly updated_at: EpochSeconds
}

export const Statistics = Schema.Struct({
  user_id: UserId,
  total_memories: Schema.Natural,
  last_memory_updated_at: Schema.NullOr(DateTime)
}).annotate({ identifier: "UserStatsSchema" })
export type Statistics = typeof Statistics.Type

export const toStatistics = ({ memories, updated_at, user_id }: UserCount): Statistics => ({
  user_id,
  total_memories: memories,
  last_memory_updated_at: toDateTime(updated_at)
})

/** One change of an extraction. Ids of updates and removals that the user does not have are ignored. */
export type Change =
  | {
    readonly _tag: "Create"
    readonly memory_id: Id
    readonly memory: string
    readonly topics: ReadonlyArray<string>
  }
  | {
    readonly _tag: "Update"
    readonly memory_id: Id
    readonly memory: string
    readonly topics: ReadonlyArray<string>
  }
  | { readonly _tag: "Remove"; readonly memory_id: Id }

/** One change for each memory: the last one counts. */
export const lastChanges = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => [
  ...new Map(changes.map((change) => [change.memory_id, change])).values()
]

const wordsOf = (value: string): ReadonlySet<string> => new Set(value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

/** The age in seconds at which a memory has half of the weight of a new one. */
const halfLife = 30 * 24 * 3600

/** The weight of words where meanings are known. Texts can share only one word that is in many texts. */
const weightBesideMeaning = 0.3

/** The weight of recency, compared with a memory that has every word of the text. */
const recencyWeight = 0.2

/**
 * The memories that fit a text best, first. Rare words count more than words of many memories, newer memories more than
 * older ones, and what is known of the meaning is added.
 */
export const rank = (
  memories: ReadonlyArray<Memory>,
  text: string,
  at: EpochSeconds,
  /** The similarity of each memory from -1 to 1, by its id. */
  similarities: ReadonlyMap<Id, number> = new Map()
): ReadonlyArray<Memory> => {
  const wanted = wordsOf(text)
  const entries = memories.map((memory) => ({
    memory,
    words: wordsOf([memory.memory, ...(memory.topics ?? [])].join(" "))
  }))
  const weights = new Map(Array.from(wanted, (word) => {
    const count = entries.filter(({ words }) => words.has(word)).length
    return [word, count === 0 ? 0 : Math.log(1 + memories.length / count)]
  }))
  const wordWeight = similarities.size === 0 ? 1 : weightBesideMeaning
  const whole = Array.from(weights.values()).reduce((sum, weight) => sum + weight, 0)
  const scored = entries.map(({ memory, words: own }) => {
    let overlap = 0
    for (const [word, weight] of weights) if (own.has(word)) overlap += weight
    const age = Math.max(0, at - memory.updated_at)
    const meaning = Math.max(0, similarities.get(memory.memory_id) ?? 0)
    const words = whole === 0 ? 0 : wordWeight * overlap / whole
    return { memory, score: words + meaning + recencyWeight * 2 ** (-age / halfLife) }
  })
  return scored.sort((left, right) => right.score - left.score || right.memory.updated_at - left.memory.updated_at)
    .map(({ memory }) => memory)
}

export const Optimize = Schema.Struct({
  user_id: UserIdInput,
  /** `provider:model`; the default model of the service, if there is none. */
  model: optional(Schema.String.check(Schema.isMaxLength(200))),
  apply: optional(Schema.Boolean)
}).annotate({ identifier: "OptimizeMemoriesRequest" })
export type Optimize = typeof Optimize.Type

export const Optimized = Schema.Struct({
  memories: Schema.Array(Record),
  memories_before: Schema.Natural,
  memories_after: Schema.Natural,
  tokens_before: Schema.Natural,
  tokens_after: Schema.Natural,
  tokens_saved: Schema.Natural,
  reduction_percentage: Schema.Finite
}).annotate({ identifier: "OptimizeMemoriesResponse" })
export type Optimized = typeof Optimized.Type

/** An estimate: models do not say how many tokens a stored text has. */
export const tokensOf = (memories: ReadonlyArray<Pick<Memory, "memory">>): number =>
  Tokens.tokensOf(memories.reduce((sum, { memory }) => sum + memory.length, 0))

export const toOptimized = (before: ReadonlyArray<Memory>, after: ReadonlyArray<Memory>): Optimized => {
  const [tokens_before, tokens_after] = [tokensOf(before), tokensOf(after)]
  const tokens_saved = Math.max(0, tokens_before - tokens_after)
  return {
    memories: after.map(toRecord),
    memories_before: before.length,
    memories_after: after.length,
    tokens_before,
    tokens_after,
    tokens_saved,
    reduction_percentage: tokens_before === 0 ? 0 : tokens_saved / tokens_before * 100
  }
}

const shared = (values: ReadonlyArray<string | null>): string | null => {
  const [first = null] = values
  return values.every((value) => value === first) ? first : null
}

/** The topics of several memories, as many as one may have: those of most memories, then those of the newest ones. */
const topicsOf = (memories: ReadonlyArray<Memory>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { topics } of memories.toSorted((left, right) => right.updated_at - left.updated_at)) {
    for (const topic of new Set(topics)) counts.set(topic, (counts.get(topic) ?? 0) + 1)
  }
  const kept = new Set(
    [...counts].toSorted(([, left], [, right]) => right - left).slice(0, maxTopics).map(([topic]) => topic)
  )
  return [...new Set(memories.flatMap(({ topics }) => topics ?? []))].filter((topic) => kept.has(topic))
}

/** One memory with the text of several: their topics, and their agent and team where all agree. */
export const merged = (
  memories: ReadonlyArray<Memory>,
  fields: Pick<Memory, "memory_id" | "memory" | "user_id">,
  at: EpochSeconds
): Memory => {
  const topics = topicsOf(memories)
  return {
    ...fields,
    topics: topics.length === 0 ? null : topics,
    agent_id: shared(memories.map(({ agent_id }) => agent_id)),
    team_id: shared(memories.map(({ team_id }) => team_id)),
    run_id: null,
    session_id: null,
    created_at: at,
    updated_at: at
  }
}
