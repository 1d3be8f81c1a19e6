// Whose learnings a call may touch. Users read learnings without an owner, and change only their own.
import { assert, type Vitest } from "@effect/vitest"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import * as Views from "@svc-runtime/test-support/suites/Views"
import { Effect } from "effect"
import { LearningStore } from "../LearningStore.ts"
import { create, everything, find, learning, newestFirst, start } from "./Learnings.ts"

/** How every viewer sees learnings of every owner. Each gets new ones. */
const populate = Effect.gen(function*() {
  const { all, owners } = Views.make({ isOfSessions: false })
  return yield* Effect.forEach(all, ({ covered, owner, who }) =>
    Effect.gen(function*() {
      const namespace = newId("namespace")
      const made = yield* Effect.forEach(owners, (user_id) =>
        Effect.map(create(learning({ user_id, namespace })), (one) => ({
          one,
          isCovered: covered.includes(user_id),
          isReadable: covered.includes(user_id) || (user_id === null && owner._tag === "User"),
          message: `${who}, a learning of ${user_id}`
        })))
      return { who, owner, namespace, made }
    }))
})

const failure = { onSuccess: () => undefined, onFailure: ({ _tag }: { readonly _tag: string }) => _tag }

export const ownership = (it: Vitest.MethodsNonLive<LearningStore>) => {
  it.effect("a learning is found by its owner, and one without an owner by every user", () =>
    Effect.gen(function*() {
      for (const { made, owner } of yield* populate) {
        for (const { isReadable, message, one } of made) {
          assert.deepStrictEqual(yield* find(one, owner), isReadable ? one : undefined, message)
        }
      }
    }))

  it.effect("a list has the learnings of the owner, and those without an owner if it asks for them", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      for (const { made, namespace, owner, who } of yield* populate) {
        for (const includesShared of [true, false]) {
          const expected = made.flatMap(({ isCovered, isReadable, one }) =>
            (includesShared ? isReadable : isCovered) ? [one] : []
          )
          const filter = { owner, includesShared, fields: { namespace } }
          const found = yield* store.list(filter, everything, newestFirst)
          assert.strictEqual(found.total, expected.length, who)
          const past = yield* store.list(filter, { page: Number.MAX_SAFE_INTEGER, limit: 1_000 }, newestFirst)
          assert.deepStrictEqual(past, { learnings: [], total: expected.length }, who)
          assert.sameDeepMembers([...found.learnings], expected, who)
        }
      }
    }))

  it.effect("a learning is changed by an owner who covers it, and every other stays as it is", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      for (const { made, owner } of yield* populate) {
        for (const { isCovered, message, one } of made) {
          const patch = { content: { changed: true }, updated_at: start + 1 }
          const failed = yield* Effect.match(store.update(one.learning_id, owner, patch), failure)
          assert.strictEqual(failed, isCovered ? undefined : "LearningNotFound", message)
          assert.deepStrictEqual(yield* find(one), isCovered ? { ...one, ...patch } : one, message)
        }
      }
    }))

  it.effect("a learning is removed once by an owner who covers it, and every other stays as it is", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      for (const { made, owner } of yield* populate) {
        for (const { isCovered, message, one } of made) {
          const failed = yield* Effect.match(store.remove(one.learning_id, owner), failure)
          assert.strictEqual(failed, isCovered ? undefined : "LearningNotFound", message)
          assert.deepStrictEqual(yield* find(one), isCovered ? undefined : one, message)
        }
      }
    }))

  it.effect("the listed users with learnings are the users that the owner covers", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const { all, owners } = Views.make({ isOfSessions: false })
      const learning_type = newId("type")
      for (const user_id of owners) yield* create(learning({ user_id, learning_type }))
      for (const { covered, owner, who } of all) {
        const sort = { by: "user_id", order: "asc" } as const
        const { users } = yield* store.listUsers({ owner, learning_type }, everything, sort)
        assert.sameMembers(users.map(({ user_id }) => user_id), covered.filter((user_id) => user_id !== null), who)
      }
    }))
}
