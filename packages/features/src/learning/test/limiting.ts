// How many learnings the store keeps of one user, and how many a user can propose.
import { assert, type Vitest } from "@effect/vitest"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import type * as Learning from "../Learning.ts"
import { LearningStore } from "../LearningStore.ts"
import { find, learning, start } from "./Learnings.ts"
import { scopeOf, updateOf } from "./Updates.ts"

const limits = { perUser: 12, proposedPerUser: 3 }

/** For the stores of the suite. */
export const layerLimits = StoreLimits.layerWith({ learnings: limits })

const several = (count: number, fields: () => Partial<Learning.Learning>) =>
  Array.from({ length: count }, () => learning(fields()))

const proposed = () => ({ namespace: newId("namespace"), metadata: { status: "proposed" } })

/** How many of the learnings were stored when all are created at the same moment, and the message of a refusal. */
const createAll = Effect.fnUntraced(function*(all: ReadonlyArray<Learning.Learning>, by?: Ids.UserId) {
  const store = yield* LearningStore
  const outcomes = yield* Effect.forEach(
    all,
    (one) => Effect.match(store.create(one, by), { onSuccess: () => "", onFailure: ({ message }) => message }),
    { concurrency: "unbounded" }
  )
  return { stored: outcomes.filter((one) => one === "").length, message: outcomes.find((one) => one !== "") ?? "" }
})

export const limiting = (it: Vitest.MethodsNonLive<LearningStore>) => {
  it.effect("a user has at most as many learnings as the limit, also when they are created at the same moment", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const user_id = userId()
      const all = several(limits.perUser + 3, () => ({ user_id }))
      const { message, stored } = yield* createAll(all)
      assert.strictEqual(stored, limits.perUser)
      assert.include(message, `MAX_LEARNINGS_PER_USER is ${limits.perUser}`)
      const { total } = yield* store.list(
        { owner: Owner.user(user_id), includesShared: false, fields: {} },
        { page: 1, limit: 1 },
        { by: undefined, order: "desc" }
      )
      assert.strictEqual(total, limits.perUser)
      assert.strictEqual((yield* createAll(several(1, () => ({ user_id: userId() })))).stored, 1)
    }))

  it.effect("what an agent learns about a user counts, and known learnings of a full user still change", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const scope = scopeOf()
      const fields = () => ({ user_id: scope.user_id ?? null })
      const all = several(limits.perUser, fields)
      const apply = (changed: ReadonlyArray<Learning.Learning>) =>
        Effect.map(store.apply(updateOf(scope, { change: () => changed }), start), ({ refused }) => refused)
      const late = learning(fields())
      assert.strictEqual(yield* apply([...all, late]), 1)
      assert.isUndefined(yield* find(late))
      const changed = { ...(all[0] ?? late), content: { changed: true } }
      assert.strictEqual(yield* apply([changed]), 0)
      assert.deepStrictEqual(yield* find(changed), changed)
      assert.strictEqual((yield* createAll([late])).stored, 0)
      yield* store.remove(changed.learning_id, Owner.anyone)
      assert.strictEqual(yield* apply([late]), 0)
    }))

  it.effect("a user proposes at most as many learnings without an owner as the limit, whatever their namespaces", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const scope = scopeOf()
      const all = several(limits.proposedPerUser + 2, proposed)
      const { message, stored } = yield* createAll(all, scope.user_id)
      assert.strictEqual(stored, limits.proposedPerUser)
      assert.include(message, `MAX_PROPOSED_LEARNINGS_PER_USER is ${limits.proposedPerUser}`)
      const [more] = several(1, proposed)
      const { refused } = yield* store.apply(updateOf(scope, { change: () => more === undefined ? [] : [more] }), start)
      assert.strictEqual(refused, 1)
      assert.strictEqual((yield* createAll(several(1, proposed), userId())).stored, 1)
      assert.strictEqual((yield* createAll(several(limits.proposedPerUser + 1, proposed))).stored, 4)
    }))

  it.effect("an approved proposal makes room, and the rest is removed with the learnings of the user", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const user_id = userId()
      const all = several(limits.proposedPerUser, proposed)
      yield* createAll(all, user_id)
      const [approved, ...rest] = all as [Learning.Learning, ...ReadonlyArray<Learning.Learning>]
      yield* store.update(approved.learning_id, Owner.anyone, { metadata: null, updated_at: start })
      const [late] = several(1, proposed) as [Learning.Learning]
      assert.strictEqual((yield* createAll([late], user_id)).stored, 1)
      assert.strictEqual(yield* store.removeOf(user_id), limits.proposedPerUser)
      for (const one of [late, ...rest]) assert.isUndefined(yield* find(one))
      assert.deepStrictEqual(yield* find(approved), { ...approved, metadata: null })
    }))
}
