// Where memories are stored. Every method touches the memories of an `Owner` or of one user only.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Memory from "@svc-runtime/domain/Memory"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import * as Sort from "@svc-runtime/domain/Sort"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, type Effect } from "effect"
import type { ChangeOutcome, ChangeSource } from "./ChangeSource.ts"
import type { MemoryBudget } from "./MemoryBudget.ts"
import type { MemoriesChanged, MemoryExists, MemoryNotFound, TooManyMemories } from "./MemoryErrors.ts"

export const isSortable = Sort.isOneOf(["memory_id", "user_id", "agent_id", "team_id", "created_at", "updated_at"])

export interface MemoryFilter {
  readonly owner: Owner.Owner
  readonly agent_id?: string | undefined
  readonly team_id?: string | undefined
  /** A memory matches if it has all of them. */
  readonly topics?: ReadonlyArray<string> | undefined
  /** A part of the text, in any case. */
  readonly search?: string | undefined
}

export interface MemoryPage {
  readonly memories: ReadonlyArray<Memory.Memory>
  readonly total: number
}

export interface StatisticsPage {
  readonly users: ReadonlyArray<Memory.UserCount>
  readonly total: number
}

/** What the changes come from. */
export interface MemorySource extends ChangeSource {
  readonly run_id: Run.Id | null
  readonly agent_id: string | null
  readonly team_id: string | null
}

export interface AppliedChanges extends ChangeOutcome {
  /** New memories that were not stored, because the user has as many as `StoreLimits.memories`. */
  readonly refused: number
  /** The newest memories of the user afterwards, up to 1 MiB of texts. */
  readonly memories: ReadonlyArray<Memory.Memory>
}

export class MemoryStore extends Context.Service<MemoryStore, {
  readonly create: (
    memory: Memory.Memory
  ) => Effect.Effect<void, MemoryExists | TooManyMemories | StorageUnavailable>
  readonly get: (
    id: Memory.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Memory.Memory, MemoryNotFound | StorageUnavailable>
  /** A short search of all users reads the newest memories only (`shortSearchLimit`). */
  readonly list: (
    filter: MemoryFilter,
    page: Pagination.Request,
    sort: Sort.Sort
  ) => Effect.Effect<MemoryPage, ResponseTooLarge | StorageUnavailable>
  /** The owner of the memory, and where it comes from, stay. */
  readonly replace: (
    id: Memory.Id,
    owner: Owner.Owner,
    content: Pick<Memory.Memory, "memory" | "topics">,
    at: EpochSeconds
  ) => Effect.Effect<Memory.Memory, MemoryNotFound | StorageUnavailable>
  /** Ids that are absent, or not covered, are ignored. */
  readonly remove: (ids: ReadonlyArray<Memory.Id>, owner: Owner.Owner) => Effect.Effect<void, StorageUnavailable>
  /** The topics of the newest memories (`topicLimits`), each once, sorted. */
  readonly topics: (owner: Owner.Owner) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** The users who have memories, the one with the last change first. */
  readonly statistics: (
    owner: Owner.Owner,
    page: Pagination.Request
  ) => Effect.Effect<StatisticsPage, ResponseTooLarge | StorageUnavailable>
  /** The newest memories of a user, as many as fit. */
  readonly relevant: (
    user_id: Ids.UserId,
    budget: MemoryBudget
  ) => Effect.Effect<ReadonlyArray<Memory.Memory>, StorageUnavailable>
  /** All changes of one extraction, or none of them. Only memories of this user change. */
  readonly apply: (
    user_id: Ids.UserId,
    changes: ReadonlyArray<Memory.Change>,
    source: MemorySource,
    at: EpochSeconds
  ) => Effect.Effect<AppliedChanges, StorageUnavailable>
  /** Replaces the expected memories of a user by one, if they are unchanged, and the user has no more than `others`. */
  readonly replaceAll: (
    user_id: Ids.UserId,
    expected: ReadonlyArray<Memory.Memory>,
    memory: Memory.Memory,
    /** How many memories the user has beside them, which stay: damaged ones cannot be read. Default: 0. */
    others?: number
  ) => Effect.Effect<void, MemoriesChanged | StorageUnavailable>
  /** Removes all memories of a user, and returns their number. Runs that are stored already apply no more changes. */
  readonly removeOf: (user_id: Ids.UserId) => Effect.Effect<number, StorageUnavailable>
  /** Calls the function after each write of this process that can have stored a text. */
  readonly follow: (onWrite: () => void) => Effect.Effect<void>
}>()("@svc-runtime/features/memory/MemoryStore") {}
