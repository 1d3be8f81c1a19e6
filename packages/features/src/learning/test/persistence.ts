// What is stored is read unchanged, and changes touch what they name only.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { newId, session, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { LearningStore } from "../LearningStore.ts"
import { create, find, learning, start } from "./Learnings.ts"

const tag = { onSuccess: () => undefined, onFailure: ({ _tag }: { readonly _tag: string }) => _tag }

export const persistence = (it: Vitest.MethodsNonLive<LearningStore | SessionStore>) => {
  it.effect("a learning is read as it was stored, with every field", () =>
    Effect.gen(function*() {
      const one = yield* create(learning({
        learning_type: "entity_memory",
        namespace: "sales",
        user_id: userId(),
        agent_id: "assistant",
        team_id: "desk",
        session_id: sessionId(),
        entity_id: "acme",
        entity_type: "company",
        content: { zebra: [1, 2.5, null], apple: { "": "a \u0000 b" } },
        metadata: { source: "call" },
        updated_at: start + 5
      }))
      assert.deepStrictEqual(yield* find(one), one)
      const empty = yield* create(learning({ content: null }))
      assert.deepStrictEqual(yield* find(empty), empty)
      assert.isUndefined(yield* find(learning()))
    }))

  it.effect("a used id is refused, whatever its owner, and the stored learning stays", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const one = yield* create(learning({ user_id: userId() }))
      const error = yield* Effect.flip(store.create({ ...one, user_id: userId(), content: { other: true } }))
      assert.strictEqual(error._tag, "LearningExists")
      assert.include(error.message, `already exists for this identity (id '${one.learning_id}')`)
      assert.deepStrictEqual(yield* find(one), one)
    }))

  it.effect("a change replaces the given fields, and null clears the metadata", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const one = yield* create(learning({ metadata: { status: "proposed" } }))
      const content = { learning: "They are fast." }
      const first = yield* store.update(one.learning_id, Owner.anyone, { content, updated_at: start + 1 })
      assert.deepStrictEqual(first, { ...one, content, updated_at: start + 1 })
      const second = yield* store.update(one.learning_id, Owner.anyone, { metadata: null, updated_at: start + 2 })
      assert.deepStrictEqual(second, { ...one, content, metadata: null, updated_at: start + 2 })
      assert.deepStrictEqual(yield* find(one), second)
    }))

  it.effect("a change of a learning that is gone makes none", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const one = learning()
      const patch = { content: {}, updated_at: start }
      assert.strictEqual(
        yield* Effect.match(store.update(one.learning_id, Owner.anyone, patch), tag),
        "LearningNotFound"
      )
      assert.isUndefined(yield* find(one))
    }))

  it.effect("a removed session takes its context with it, and leaves other learnings", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const stored = session()
      yield* sessions.create(stored)
      const { session_id } = stored
      const context = yield* create(learning({ learning_type: "session_context", session_id }))
      const decision = yield* create(learning({ learning_type: "decision_log", session_id }))
      const other = yield* create(learning({ learning_type: "session_context", session_id: sessionId() }))
      yield* sessions.remove([session_id], Owner.anyone)
      assert.isUndefined(yield* find(context))
      assert.deepStrictEqual(yield* find(decision), decision)
      assert.deepStrictEqual(yield* find(other), other)
    }))

  it.effect("the learnings of a user are removed and counted, those of one type or all, and no others", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const [ann, bob] = [userId(), userId()]
      const profile = yield* create(learning({ learning_type: "user_profile", user_id: ann }))
      const own = yield* create(learning({ user_id: ann }))
      const others = yield* Effect.forEach([learning({ user_id: bob }), learning({ namespace: newId("n") })], create)
      assert.strictEqual(yield* store.removeOf(ann, "user_profile"), 1)
      assert.isUndefined(yield* find(profile))
      assert.deepStrictEqual(yield* find(own), own)
      assert.strictEqual(yield* store.removeOf(ann), 1)
      assert.strictEqual(yield* store.removeOf(ann), 0)
      for (const other of others) assert.deepStrictEqual(yield* find(other), other)
    }))
}
