// What features have in a session, copied with it. It is no part of the statement that copies the session: a copy that
// is cut off in between, because its node is killed, lacks it.
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Predicate } from "effect"
import type { Stores } from "./Stores.ts"

/** A store of a feature with rows that a copy of a session has too. */
export interface CopiesSession {
  /** Nothing happens if the copy has some. */
  readonly copySession: (from: Session.Id, to: Session.Id) => Effect.Effect<void, StorageUnavailable>
}

const isCopying = (store: unknown): store is CopiesSession =>
  Predicate.hasProperty(store, "copySession") && Predicate.isFunction(store.copySession)

export const copy = (stores: Stores, from: Session.Id, to: Session.Id): Effect.Effect<void, StorageUnavailable> => {
  const all: ReadonlyArray<unknown> = Object.values(stores)
  return Effect.forEach(all.filter(isCopying), (store) => store.copySession(from, to), { discard: true })
}
