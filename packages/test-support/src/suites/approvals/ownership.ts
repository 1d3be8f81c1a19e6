// Whose approvals a call may touch: what its owner does not cover is absent, and stays as it is.
import { assert, type Vitest } from "@effect/vitest"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect } from "effect"
import { newId } from "../Samples.ts"
import * as Views from "../Views.ts"
import { approval, approved, create, find, start } from "./Approvals.ts"

/** How every viewer sees approvals of every owner. Each gets new ones. */
const populate = Effect.gen(function*() {
  const { all, owners } = Views.make()
  return yield* Effect.forEach(all, ({ covered, owner, who }) =>
    Effect.gen(function*() {
      const schedule_id = newId("schedule")
      const made = yield* Effect.forEach(owners, (user_id) =>
        Effect.map(create(approval({ user_id, schedule_id })), (one) => ({
          one,
          isCovered: covered.includes(user_id),
          message: `${who}, an approval of ${user_id}`
        })))
      return { who, owner, schedule_id, made }
    }))
})

const failure = { onSuccess: () => undefined, onFailure: ({ _tag }: { readonly _tag: string }) => _tag }

export const ownership = (it: Vitest.MethodsNonLive<ApprovalStore>) => {
  it.effect("an approval is found by an owner who covers it, and by no other", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      for (const { made, owner } of yield* populate) {
        for (const { isCovered, message, one } of made) {
          const failed = yield* Effect.match(store.get(one.id, owner, start), failure)
          assert.strictEqual(failed, isCovered ? undefined : "ApprovalNotFound", message)
        }
      }
    }))

  it.effect("a list has the covered approvals and no others, whatever the filter", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      for (const { made, owner, schedule_id, who } of yield* populate) {
        const covered = made.flatMap(({ isCovered, one }) => isCovered ? [one] : []).toReversed()
        for (const status of [undefined, "pending"] as const) {
          const found = yield* store.list({ owner, status, fields: { schedule_id } }, { page: 1, limit: 10 }, start)
          assert.deepStrictEqual(found, { approvals: covered, total: covered.length }, who)
        }
      }
    }))

  it.effect("the pending approvals of a user are counted, and none without a user", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const { all, owners } = Views.make()
      for (const user_id of owners) {
        yield* create(approval({ user_id }))
        yield* create(approval({ user_id, expires_at: start + 60 }))
        yield* create(approval({ user_id, status: "approved" }))
      }
      for (const { covered, owner, who } of all) {
        // what everybody has is not known: the tests share the database
        if (owner._tag === "Anyone" || owner._tag === "Acting") continue
        assert.strictEqual(yield* store.countPending(owner, start + 59), 2 * covered.length, who)
        assert.strictEqual(yield* store.countPending(owner, start + 60), covered.length, who)
      }
    }))

  it.effect("an approval is resolved by an owner who covers it, and every other stays as it is", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      for (const { made, owner } of yield* populate) {
        for (const { isCovered, message, one } of made) {
          const failed = yield* Effect.match(store.resolve(one.id, owner, approved, start + 1), failure)
          assert.strictEqual(failed, isCovered ? undefined : "ApprovalNotFound", message)
          assert.strictEqual((yield* find(one))?.status, isCovered ? "approved" : "pending", message)
        }
      }
    }))

  it.effect("an approval is removed once by an owner who covers it, and every other stays as it is", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      for (const { made, owner } of yield* populate) {
        for (const { isCovered, message, one } of made) {
          const failed = yield* Effect.match(store.remove(one.id, owner), failure)
          assert.strictEqual(failed, isCovered ? undefined : "ApprovalNotFound", message)
          assert.deepStrictEqual(yield* find(one), isCovered ? undefined : one, message)
          assert.strictEqual(yield* Effect.match(store.remove(one.id, owner), failure), "ApprovalNotFound", message)
        }
      }
    }))
}
