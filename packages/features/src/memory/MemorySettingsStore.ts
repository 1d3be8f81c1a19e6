// Whether agents may remember a user, and the records of removals. Without a stored setting they may.
import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { Context, Effect, Layer } from "effect"
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
}>()("@svc-runtime/features/memory/MemorySettingsStore") {
  static readonly layerMemory: Layer.Layer<MemorySettingsStore, never, MemoryDatabase> = Layer.effect(
    MemorySettingsStore,
    MemoryDatabase.useSync(({ erasures, withoutMemory }) =>
      MemorySettingsStore.of({
        isEnabled: (user_id) => Effect.sync(() => !withoutMemory.has(user_id)),
        set: (user_id, enabled) =>
          Effect.sync(() => {
            if (enabled) withoutMemory.delete(user_id)
            else withoutMemory.add(user_id)
          }),
        listDisabled: (after, count) =>
          Effect.sync(() =>
            [...withoutMemory].filter((user_id) => after === undefined || user_id > after).sort().slice(0, count)
          ),
        disable: (user_ids) => Effect.sync(() => user_ids.forEach((user_id) => withoutMemory.add(user_id))),
        atomically: (effect) => effect,
        recordErasure: (erasure) => Effect.sync(() => void erasures.push(erasure)),
        erasuresOf: (user_id) => Effect.sync(() => erasures.filter((erasure) => erasure.user_id === user_id))
      })
    )
  )
}
