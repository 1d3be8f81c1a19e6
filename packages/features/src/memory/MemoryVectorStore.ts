// Where the vectors of memories are stored. A memory is stored without one, and gets it a moment later. Vectors of
// different models cannot be compared, so every method names the model.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Memory from "@svc-runtime/domain/Memory"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect } from "effect"
import type { MemoryBudget } from "./MemoryBudget.ts"
import type { MemoryFilter } from "./MemoryStore.ts"

/** The vector of a text, and what made it. */
export interface TextVector {
  readonly model: string
  readonly vector: Float32Array
}

/** A memory without a vector of the model. */
export interface Missing {
  readonly memory_id: Memory.Id
  readonly memory: string
  /** Of the text. */
  readonly version: number
}

export interface MadeVector extends Pick<Missing, "memory_id" | "version"> {
  /** Undefined: the model makes no vector of this text. */
  readonly vector: Float32Array | undefined
}

export interface Found {
  readonly memory: Memory.Memory
  /** The cosine of the vectors. Undefined if the memory has no vector of the model, or it was not compared. */
  readonly similarity: number | undefined
}

export class MemoryVectorStore extends Context.Service<MemoryVectorStore, {
  /** Some of the memories, of all users, that have no vector of the model. */
  readonly missing: (
    model: string,
    budget: Pick<MemoryBudget, "maxBytes" | "maxCount">
  ) => Effect.Effect<ReadonlyArray<Missing>, StorageUnavailable>
  /** Stores the vectors of unchanged texts, and returns how many it stored. */
  readonly put: (
    model: string,
    vectors: ReadonlyArray<MadeVector>
  ) => Effect.Effect<number, StorageUnavailable>
  /** The memories that fit a text best, first. The owner is one user. */
  readonly nearest: (
    filter: MemoryFilter,
    text: TextVector
  ) => Effect.Effect<ReadonlyArray<Found>, StorageUnavailable>
  /**
   * What a run of a user reads: the newest memories, as many as fit, and the memories that match the text best.
   * None if the user has switched memory off.
   */
  readonly forRun: (
    user_id: Ids.UserId,
    budget: MemoryBudget,
    text: TextVector | undefined
  ) => Effect.Effect<ReadonlyArray<Found>, StorageUnavailable>
  /** How many vectors the memories of a user have. They are removed with the memories. */
  readonly countOf: (user_id: Ids.UserId) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/memory/MemoryVectorStore") {}
