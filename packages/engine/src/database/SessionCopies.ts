// What features have in a session, copied with it in one transaction.
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Option, Predicate } from "effect"
import type { RunLifecycle } from "../run/store/RunLifecycle.ts"
import type { Forked, Forking } from "../run/store/RunWrites.ts"
import type { MemorySettingsStore } from "../session/MemorySettingsStore.ts"

/** A store of a feature with rows that a copy of a session has too. */
export interface CopiesSession {
  /** Nothing happens if the copy has some. */
  readonly copySession: (from: Session.Id, to: Session.Id) => Effect.Effect<void, StorageUnavailable>
}

const isCopying = (store: unknown): store is CopiesSession =>
  Predicate.hasProperty(store, "copySession") && Predicate.isFunction(store.copySession)

/** Copies a session with what features have in it: all of it, or nothing, also if the node is killed in between. */
export const fork = (
  stores: {
    readonly memorySettings: Pick<MemorySettingsStore["Service"], "atomically">
    readonly runs: Pick<RunLifecycle["Service"], "fork">
  }
) =>
(forking: Forking): Effect.Effect<Option.Option<Forked>, StorageUnavailable> => {
  const all: ReadonlyArray<unknown> = Object.values(stores)
  const copies = Effect.forEach(
    all.filter(isCopying),
    (store) => store.copySession(forking.source, forking.session_id),
    { discard: true }
  )
  return stores.memorySettings.atomically(
    Effect.tap(stores.runs.fork(forking), (forked) => Option.isNone(forked) ? Effect.void : copies)
  )
}
