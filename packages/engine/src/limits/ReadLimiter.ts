// Stores wait for the read limiter of a request before they read large data for its response. Their own reads and small
// ones need no limiter.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect } from "effect"

/** A response that is read in pieces, each when the piece before it was sent. */
export interface Pieces {
  readonly isCounted: boolean
  /** The pieces of all such responses that are not sent have no room for another one. */
  readonly isFull: () => boolean
  readonly waitForRoom: Effect.Effect<void, StorageUnavailable>
  /** Counts a piece of this many bytes until the returned function is called. */
  readonly reserve: (bytes: number) => () => void
}

/** Pieces of this size are not counted. */
export const smallPiece = 64 * 1024

export const unlimited: Pieces = {
  isCounted: false,
  isFull: () => false,
  waitForRoom: Effect.void,
  reserve: () => () => {}
}

export interface Limiter {
  /** Returns when there is room for this many bytes of memory. They are held until the response was sent. */
  readonly admit: (bytes: number) => Effect.Effect<void, StorageUnavailable>
  /** True for a read-only request: all data that is read for it goes into its response, or is dropped. */
  readonly isReadOnly: boolean
  readonly pieces: Pieces
  /** For a read within a request that is not read-only. */
  readonly reading?: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Executes a search when the caller executes fewer than its share. */
  readonly searching?: <A, E, R>(search: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
}

export const isReadOnly = (limiter: Limiter): boolean => limiter.isReadOnly

/** Outside of requests nothing is measured. */
const none: Limiter = { admit: () => Effect.void, isReadOnly: false, pieces: unlimited }

export const ReadLimiter = Context.Reference<Limiter>("@svc-runtime/engine/limits/ReadLimiter", {
  defaultValue: () => none
})

/** Executes a read whose data all goes into its response as one of a read-only request. */
export const reading = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ReadLimiter, (limiter) => limiter.reading === undefined ? effect : limiter.reading(effect))

/** For what keeps the database busy although its response can be small. It does not hold what the search is made of. */
export const searching = <A, E, R>(search: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.flatMap(ReadLimiter, (limiter) => limiter.searching === undefined ? search : limiter.searching(search))

/** The memory of a parsed JSON text, as a multiple of its length. */
const parsed = 4

/** The memory of a JSON text that is assembled from pieces and sent unchanged, as a multiple of its length. */
const assembled = 2

/** The size of a value, measured without reading it. */
export interface Measured {
  /** Bytes of JSON that are parsed. */
  readonly parsed?: number
  /** Bytes of long texts, or of JSON that is not parsed. */
  readonly text?: number
}

const memoryOf = (measured: Measured): number => parsed * (measured.parsed ?? 0) + (measured.text ?? 0)

/** Measures the data that is read next, and waits for the limiter, if there is one. */
export const admit = <E, R>(
  measure: Effect.Effect<Measured, E, R>,
  isMeant: (limiter: Limiter) => boolean = () => true
): Effect.Effect<void, E | StorageUnavailable, R> =>
  Effect.flatMap(ReadLimiter, (limiter) =>
    limiter === none || !isMeant(limiter)
      ? Effect.void
      : Effect.flatMap(measure, (measured) => limiter.admit(memoryOf(measured))))

/** Of a text that is put together. */
export const ofText = (bytes: number): Measured => ({ text: assembled * bytes })
