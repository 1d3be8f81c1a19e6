// Whether agents may remember a user, and the records of removals. Without a stored setting they may.
import * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Context, type Effect, Schema } from "effect"

/** The record of a removal: who, what and when. It has no contents. */
export const Erasure = Schema.Struct({
  user_id: Ids.UserId,
  action: Schema.Literals(["memory_deleted", "learnings_deleted"]),
  /** The caller; null if the credential named no user. */
  actor: Schema.NullOr(Schema.String),
  /** The kind of the credential. */
  credential: Schema.String,
  at: EpochSeconds,
  counts: Schema.Record(Schema.String, Schema.Natural)
})
export type Erasure = typeof Erasure.Type

export class MemorySettingsStore extends Context.Service<MemorySettingsStore, {
  readonly isEnabled: (user_id: Ids.UserId) => Effect.Effect<boolean, StorageUnavailable>
  readonly set: (user_id: Ids.UserId, enabled: boolean, at: EpochSeconds) => Effect.Effect<void, StorageUnavailable>
  /** Users who have switched memory off, in the order of their ids. */
  readonly listDisabled: (
    after: Ids.UserId | undefined,
    count: number
  ) => Effect.Effect<ReadonlyArray<Ids.UserId>, StorageUnavailable>
  readonly disable: (
    user_ids: ReadonlyArray<Ids.UserId>,
    at: EpochSeconds
  ) => Effect.Effect<void, StorageUnavailable>
  /** All changes of the effect in the database, or none of them. */
  readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  readonly recordErasure: (erasure: Erasure) => Effect.Effect<void, StorageUnavailable>
  /** The records of a user, the oldest first. */
  readonly erasuresOf: (user_id: Ids.UserId) => Effect.Effect<ReadonlyArray<Erasure>, StorageUnavailable>
}>()("@svc-runtime/engine/session/MemorySettingsStore") {}
