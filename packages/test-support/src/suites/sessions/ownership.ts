// Whose sessions a call may touch: what its owner does not cover is absent, and stays as it is.
import { assert, type Vitest } from "@effect/vitest"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { type Conversation, type SessionNotFound, SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newId, newRun, session, sessionId, talk, userId } from "../Samples.ts"
import * as Views from "../Views.ts"

/** None when there is no such session, or when it is not covered: a caller cannot tell the two apart. */
const optional = <E>(found: Effect.Effect<Conversation, SessionNotFound | E>) =>
  Effect.catchTag(Effect.asSome(found), "SessionNotFound", () => Effect.succeedNone)

/** Everything that is kept of a session, and of the runs in it. */
const stored = Effect.fnUntraced(function*(id: Session.Id) {
  const [sessions, runs] = [yield* SessionStore, yield* RunStore]
  return {
    conversation: yield* optional(sessions.getConversation(id, Owner.anyone)),
    runs: yield* runs.list(id, { owner: Owner.anyone })
  }
})

const gone = { conversation: Option.none(), runs: Option.none() }

/** A session with a run in it. */
const create = Effect.fnUntraced(function*(user_id: Ids.UserId | null, component_id: string) {
  const [sessions, runs] = [yield* SessionStore, yield* RunStore]
  const begun = newRun({ user_id, component_id })
  const id = begun.session_id
  yield* runs.create(begun)
  yield* runs.finish(ending(begun, { run: { messages: talk("Question", "Answer") } }))
  yield* sessions.update(id, Owner.anyone, { session_name: "Secret", updated_at: 1_700_000_200 })
  return { id, before: yield* stored(id) }
})

/** How every viewer sees sessions of every owner. Each gets new ones, all of one component. */
const populate = Effect.gen(function*() {
  const { all, owners } = Views.make()
  return yield* Effect.forEach(all, ({ covered, owner, who }) =>
    Effect.gen(function*() {
      const componentId = newId("agent")
      const sessions = yield* Effect.forEach(owners, (user_id) =>
        Effect.map(create(user_id, componentId), (created) => ({
          ...created,
          isCovered: covered.includes(user_id),
          message: `${who}, a session of ${user_id}`
        })))
      return { who, owner, componentId, sessions }
    }))
})

export const ownership = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a session is found by an owner who covers it, and by no other", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      for (const { owner, sessions } of yield* populate) {
        for (const { before, id, isCovered, message } of sessions) {
          const expected = isCovered ? Option.map(before.conversation, ({ session }) => session) : Option.none()
          assert.deepStrictEqual(yield* store.find(id, owner), expected, message)
        }
      }
    }))

  it.effect("the conversation of a session is read by an owner who covers it, and by no other", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      for (const { owner, sessions } of yield* populate) {
        for (const { before, id, isCovered, message } of sessions) {
          const found = yield* optional(store.getConversation(id, owner))
          assert.deepStrictEqual(found, isCovered ? before.conversation : Option.none(), message)
        }
      }
    }))

  it.effect("a list and its total have the covered sessions and no others, whatever the filter", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const sort = { by: "created_at", order: "asc" } as const
      for (const { componentId, owner, sessions: made, who } of yield* populate) {
        const ids = made.filter(({ isCovered }) => isCovered).map(({ id }) => id)
        for (const filter of [{}, { name: "secret" }, { kind: "agent" as const, name: "s" }]) {
          const search = { ...filter, owner, componentId }
          const { sessions, total } = yield* store.list(search, { page: 1, limit: 10 }, sort)
          assert.deepStrictEqual(sessions.map(({ session_id }) => session_id), ids, who)
          assert.strictEqual(total, ids.length, who)
          assert.deepStrictEqual(yield* store.list(search, { page: 9, limit: 10 }, sort), {
            sessions: [],
            total,
            isWhole: true
          }, who)
        }
      }
    }))

  it.effect("a user's sessions are listed without a filter, and none without a user", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { all, owners } = Views.make()
      for (const user_id of owners) yield* create(user_id, "assistant")
      for (const { covered, owner, who } of all) {
        // what everybody has is not known: the tests share the database
        if (owner._tag === "Anyone" || owner._tag === "Acting") continue
        const { sessions, total } = yield* store.list(
          { owner },
          { page: 1, limit: 10 },
          { by: "created_at", order: "asc" }
        )
        assert.deepStrictEqual([sessions.map(({ user_id }) => user_id), total], [covered, covered.length], who)
      }
    }))

  it.effect("a session is changed by an owner who covers it, and every other stays as it is", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const patch = { session_name: "Mine", session_state: {}, metadata: {}, updated_at: 1_800_000_000 }
      for (const { owner, sessions } of yield* populate) {
        for (const { before, id, isCovered, message } of sessions) {
          const changed = Option.map(
            before.conversation,
            (found) => ({ ...found, session: { ...found.session, ...patch } })
          )
          const found = yield* optional(store.update(id, owner, patch))
          assert.deepStrictEqual(found, isCovered ? changed : Option.none(), message)
          assert.deepStrictEqual(yield* stored(id), isCovered ? { ...before, conversation: changed } : before, message)
        }
      }
    }))

  it.effect("covered sessions are removed, and the others of the request stay as they are", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      for (const { owner, sessions } of yield* populate) {
        yield* store.remove([sessionId(), ...sessions.map(({ id }) => id)], owner)
        for (const { before, id, isCovered, message } of sessions) {
          assert.deepStrictEqual(yield* stored(id), isCovered ? gone : before, message)
        }
      }
    }))

  it.effect("the present owner of a session decides", () =>
    Effect.gen(function*() {
      const [store, runs] = [yield* SessionStore, yield* RunStore]
      const [session_id, user_id] = [sessionId(), userId()]
      yield* store.create(session({ session_id }))
      assert.isTrue(Option.isNone(yield* store.find(session_id, Owner.user(user_id))))
      yield* runs.create(newRun({ session_id, user_id }))
      assert.isTrue(Option.isSome(yield* store.find(session_id, Owner.user(user_id))))
    }))
}
