// How much the stores read and keep, as the configuration says. What measures their results reads the same limits.
import * as Vector from "@svc-runtime/domain/Vector"
import { Context, Layer } from "effect"

export interface Limits {
  /** Bytes of stored data that one response may carry (RESPONSE_MAX_BYTES): a chat history, or a list of runs. */
  readonly response: number
  /** Of the earlier messages that a run is shown: the newest runs of its history that fit (HISTORY_MAX_BYTES). */
  readonly history: number
  /** Of a run that is read to be resumed: reading takes several times as much memory (MAX_RESTORED_RUN_BYTES). */
  readonly restored: number
  /** Memories of one user (MAX_MEMORIES_PER_USER). */
  readonly memories: number
  readonly learnings: {
    /** Of one user (MAX_LEARNINGS_PER_USER). */
    readonly perUser: number
    /** Without an owner, proposed by one user and not approved yet (MAX_PROPOSED_LEARNINGS_PER_USER). */
    readonly proposedPerUser: number
  }
  /**
   * An instance of knowledge with fewer chunks has no index of pgvector: comparing all of them is as fast. Undefined:
   * indexes are neither made nor used, and the embedded database opens without the extension (PGVECTOR).
   */
  readonly minIndexedChunks: ((dimensions: number) => number) | undefined
}

const mebibyte = 1024 * 1024

/** How many whole vectors a search for ten results compares without an index. */
const scanned = (bytes: number): number =>
  Math.max(10, Math.min(Math.max(500, Math.min(5000, Math.floor(3_072_000 / bytes))), Math.floor(25_165_824 / bytes)))

/** From this number of chunks on, an index is faster. */
const minIndexedChunks = (dimensions: number): number => 4 * scanned(dimensions * Vector.bytesOfNumber)

export const defaults: Limits = {
  response: 32 * mebibyte,
  history: 8 * mebibyte,
  restored: 256 * mebibyte,
  memories: 1000,
  learnings: { perUser: 10_000, proposedPerUser: 100 },
  minIndexedChunks
}

export class StoreLimits extends Context.Service<StoreLimits, Limits>()("@svc-runtime/engine/limits/StoreLimits") {}

/** The defaults, except for these. */
export const layerWith = (limits: Partial<Limits> = {}): Layer.Layer<StoreLimits> =>
  Layer.succeed(StoreLimits, { ...defaults, ...limits })
