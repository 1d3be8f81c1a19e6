// Lists of learnings and of their users. The store has learnings of other tests, so each test finds its own by a
// namespace, a type or a user.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import type * as Learning from "../Learning.ts"
import { filterable } from "../LearningFilter.ts"
import { LearningStore } from "../LearningStore.ts"
import { create, everything, learning, newestFirst, start } from "./Learnings.ts"

const anyone = { owner: Owner.anyone, includesShared: true }

export const listing = (it: Vitest.MethodsNonLive<LearningStore>) => {
  it.effect("learnings are listed by their last change, the newest first, in pages, with the real total", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const namespace = newId("namespace")
      const [first, second, third] = [2, 1, 2].map((n) => learning({ namespace, updated_at: start + n })) as [
        Learning.Learning,
        Learning.Learning,
        Learning.Learning
      ]
      yield* Effect.forEach([first, second, third], create)
      const list = (page: number, by?: string) =>
        store.list({ ...anyone, fields: { namespace } }, { page, limit: 2 }, { by, order: "desc" })
      assert.deepStrictEqual(yield* list(1), { learnings: [third, first], total: 3 })
      assert.deepStrictEqual(yield* list(2), { learnings: [second], total: 3 })
      assert.deepStrictEqual(yield* list(3), { learnings: [], total: 3 })
      assert.deepStrictEqual(yield* list(1, "nonsense; drop table"), { learnings: [third, first], total: 3 })
      const oldest = { by: "updated_at", order: "asc" } as const
      const ascending = yield* store.list({ ...anyone, fields: { namespace } }, everything, oldest)
      assert.deepStrictEqual(ascending, { learnings: [second, first, third], total: 3 })
    }))

  it.effect.each([...filterable])("the list is filtered by %s", (field) =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const user_id = userId()
      const [one, other] = [newId("one"), newId("other")]
      const wanted = learning({ user_id, [field]: one })
      yield* Effect.forEach([learning({ user_id, [field]: other }), wanted, learning({ [field]: other })], create)
      const found = yield* store.list({ ...anyone, fields: { [field]: one } }, everything, newestFirst)
      assert.deepStrictEqual(found, { learnings: [wanted], total: 1 })
    }))

  it.effect("the list has proposed learnings only, or the others only, if it is asked for them", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const namespace = newId("namespace")
      const [proposed, approved, other] = [{ status: "proposed" }, { status: "approved" }, null].map((metadata) =>
        learning({ namespace, metadata })
      ) as [Learning.Learning, Learning.Learning, Learning.Learning]
      yield* Effect.forEach([proposed, approved, other], create)
      const list = (isProposed: boolean) =>
        store.list({ ...anyone, isProposed, fields: { namespace } }, everything, newestFirst)
      assert.deepStrictEqual(yield* list(true), { learnings: [proposed], total: 1 })
      assert.deepStrictEqual(yield* list(false), { learnings: [other, approved], total: 2 })
    }))

  it.effect("the total of one user's learnings, of all types or of one, is that of the user alone", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const [user_id, learning_type] = [userId(), newId("type")]
      yield* Effect.forEach([learning({ user_id }), learning({ user_id, learning_type }), learning()], create)
      const total = (fields: { readonly learning_type?: string }, page: number) =>
        Effect.map(
          store.list(
            { owner: Owner.user(user_id), includesShared: false, fields },
            { page, limit: 1 },
            newestFirst
          ),
          (found) => found.total
        )
      assert.deepStrictEqual([yield* total({}, 1), yield* total({}, 2), yield* total({}, 9)], [2, 2, 2])
      assert.deepStrictEqual([yield* total({ learning_type }, 1), yield* total({ learning_type }, 9)], [1, 1])
      assert.strictEqual(yield* total({ learning_type: "none" }, 9), 0)
    }))

  it.effect("the users with learnings are listed with their last change, by name or by time, without a null owner", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const learning_type = newId("type")
      const [ann, bob] = [userId(newId("ann")), userId(newId("bob"))]
      for (const [user_id, n] of [[ann, 1], [ann, 3], [bob, 2], [null, 4]] as const) {
        yield* create(learning({ learning_type, user_id, updated_at: start + n }))
      }
      const users = [
        { user_id: ann, last_learning_updated_at: start + 3 },
        { user_id: bob, last_learning_updated_at: start + 2 }
      ]
      const list = (by: "user_id" | "last_learning_updated_at", order: "asc" | "desc", page = everything) =>
        store.listUsers({ owner: Owner.anyone, learning_type }, page, { by, order })
      assert.deepStrictEqual(yield* list("last_learning_updated_at", "desc"), { users, total: 2 })
      assert.deepStrictEqual(yield* list("user_id", "desc"), { users: users.toReversed(), total: 2 })
      assert.deepStrictEqual(yield* list("user_id", "asc", { page: 2, limit: 1 }), { users: users.slice(1), total: 2 })
      assert.deepStrictEqual(yield* list("user_id", "asc", { page: 3, limit: 1 }), { users: [], total: 2 })
    }))

  it.effect("the list of users follows changes and removals of their learnings", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const user_id = userId()
      const [first, second] = [newId("type"), newId("type")]
      const list = (learning_type?: string) =>
        Effect.map(
          store.listUsers({ owner: Owner.user(user_id), learning_type }, everything, {
            by: "last_learning_updated_at",
            order: "desc"
          }),
          ({ total, users }) => [total, ...users.map(({ last_learning_updated_at }) => last_learning_updated_at)]
        )
      assert.deepStrictEqual(yield* list(), [0])
      const one = yield* create(learning({ user_id, learning_type: first }))
      yield* create(learning({ user_id, learning_type: second, updated_at: start + 1 }))
      assert.deepStrictEqual([yield* list(), yield* list(first)], [[1, start + 1], [1, start]])
      yield* store.update(one.learning_id, Owner.anyone, { content: {}, updated_at: start + 5 })
      assert.deepStrictEqual([yield* list(), yield* list(first)], [[1, start + 5], [1, start + 5]])
      yield* store.remove(one.learning_id, Owner.anyone)
      assert.deepStrictEqual([yield* list(), yield* list(first)], [[1, start + 1], [0]])
      yield* store.removeOf(user_id)
      assert.deepStrictEqual(yield* list(), [0])
    }))
}
