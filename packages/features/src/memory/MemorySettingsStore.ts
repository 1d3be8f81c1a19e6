// Whether agents may remember a user, and the records of removals. Without a stored setting they may.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { Context, type Effect } from "effect"
import type * as UserMemory from "./UserMemory.ts"

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
  readonly recordErasure: (erasure: UserMemory.Erasure) => Effect.Effect<void, StorageUnavailable>
  /** The records of a user, the oldest first. */
  readonly erasuresOf: (user_id: Ids.UserId) => Effect.Effect<ReadonlyArray<UserMemory.Erasure>, StorageUnavailable>
}>()("@svc-runtime/features/memory/MemorySettingsStore") {}
