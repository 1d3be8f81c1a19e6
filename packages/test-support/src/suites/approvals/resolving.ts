// An approval is resolved once, in time, or not at all.
import { assert, type Vitest } from "@effect/vitest"
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect } from "effect"
import { approval, approved, create, find, resolve, start } from "./Approvals.ts"

const refusal = (one: Approval.Approval, at: number) =>
  Effect.map(Effect.flip(resolve(one, at)), ({ _tag, message }) => [_tag, message])

const already = (status: Approval.Status) => [
  "ApprovalNotPending",
  `Approval is already '${status}' and cannot be resolved`
]

export const resolving = (it: Vitest.MethodsNonLive<ApprovalStore>) => {
  it.effect.each<Approval.ResolutionInput>([
    approved,
    { status: "rejected", resolved_by: null, resolution_data: { values: { to: "b" }, odd: ["\u0000", null] } }
  ])("a resolved approval has its decision, its resolver and its time: %j", (resolution) =>
    Effect.gen(function*() {
      const one = approval({ expires_at: start + 60 })
      yield* create(one)
      const expected = { ...one, ...resolution, resolved_at: start + 59, updated_at: start + 59 }
      assert.deepStrictEqual(yield* resolve(one, start + 59, resolution), expected)
      assert.deepStrictEqual(yield* find(one, start + 100), expected)
    }))

  it.effect("an approval that is not pending is not resolved, and the error has its status", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [done, expired, cancelled] = [approval(), approval({ expires_at: start + 60 }), approval()]
      yield* Effect.forEach([done, expired, cancelled], create)
      const resolved = yield* resolve(done, start + 1)
      yield* store.closeForRun(cancelled.run_id, "CANCELLED", start)
      assert.deepStrictEqual(yield* refusal(done, start + 2), already("approved"))
      assert.deepStrictEqual(yield* refusal(expired, start + 60), already("expired"))
      assert.deepStrictEqual(yield* refusal(cancelled, start), already("cancelled"))
      assert.deepStrictEqual(yield* find(done, start + 3), resolved)
      assert.deepStrictEqual(yield* find(expired, start), expired)
      assert.strictEqual((yield* Effect.flip(resolve(approval(), start)))._tag, "ApprovalNotFound")
    }))

  it.effect("exactly one of many callers at once resolves an approval, and the others get that decision", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const one = approval()
      yield* create(one)
      const rivals = Array.from({ length: 8 }, (_, n): Approval.ResolutionInput => ({
        status: n % 2 === 0 ? "approved" : "rejected",
        resolved_by: `${n}`,
        resolution_data: null
      }))
      const results = yield* Effect.forEach(
        rivals,
        (resolution) => Effect.result(store.resolve(one.id, Owner.anyone, resolution, start + 1)),
        { concurrency: "unbounded" }
      )
      const winners = results.flatMap((result) => result._tag === "Success" ? [result.success.approval] : [])
      assert.lengthOf(winners, 1)
      assert.deepStrictEqual(yield* find(one), winners[0])
      for (const result of results) {
        if (result._tag === "Success") continue
        assert.strictEqual(result.failure.message, already(winners[0]!.status)[1])
      }
    }))
}
