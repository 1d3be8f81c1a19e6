// What the suites of the session store create and read.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { type SessionFilter, SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"

export const create = Effect.fnUntraced(function*(...sessions: ReadonlyArray<Session.Session>) {
  const store = yield* SessionStore
  yield* Effect.forEach(sessions, store.create, { discard: true })
})

export const find = (id: Session.Id) =>
  SessionStore.use((store) => store.find(id, Owner.anyone)).pipe(Effect.flatMap(Effect.fromOption))

export const chatOf = ({ chat }: { readonly chat: string }): ReadonlyArray<{ readonly content: string }> =>
  JSON.parse(chat)

export const idsOf = (filter: SessionFilter) =>
  SessionStore.use((store) => store.list(filter, { page: 1, limit: 100 }, { by: "created_at", order: "desc" })).pipe(
    Effect.map(({ sessions }) => sessions.map(({ session_id }) => session_id))
  )
