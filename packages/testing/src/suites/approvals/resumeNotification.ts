// A node that resolves an approval may stop before the run is resumed: that the run must be resumed is stored as well.
import { assert, type Vitest } from "@effect/vitest"
import { Approval, Owner } from "@svc/domain"
import { ApprovalStore } from "@svc/runtime"
import { Effect } from "effect"
import { newId } from "../Samples.ts"
import { approval, approved, create, find, resolve, start } from "./Approvals.ts"

/** Of these approvals, which are new each time, those whose runs must still be resumed. */
const pendingResumesOf = Effect.fnUntraced(function*(all: ReadonlyArray<Approval.Approval>) {
  const store = yield* ApprovalStore
  const pending = yield* store.listPendingResumes({ after: undefined, limit: 10_000 })
  return pending.filter(({ id }) => all.some((one) => one.id === id))
})

const keyOf = ({ id, run_id, session_id }: Approval.Approval) => ({ id, run_id, session_id })

export const resumeNotification = (it: Vitest.MethodsNonLive<ApprovalStore>) => {
  it.effect("the store lists the resolved approvals whose runs must be resumed, until they are", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [one, other, pending] = [approval(), approval(), approval()]
      const all = [one, other, pending]
      yield* Effect.forEach(all, create)
      assert.deepStrictEqual(yield* pendingResumesOf(all), [])
      yield* resolve(one, start + 1)
      yield* resolve(other, start + 1, { ...approved, status: "rejected" })
      assert.sameDeepMembers([...yield* pendingResumesOf(all)], [keyOf(one), keyOf(other)])
      yield* store.markResumed(one.id)
      assert.deepStrictEqual(yield* pendingResumesOf(all), [keyOf(other)])
      yield* store.markResumed(one.id)
      yield* store.markResumed(pending.id)
      yield* store.markResumed(Approval.Id.make(newId("approval")))
      assert.deepStrictEqual(yield* pendingResumesOf(all), [keyOf(other)])
      assert.strictEqual((yield* find(one))?.status, "approved", "that is all that it changes")
    }))

  it.effect("a pending resume is listed after the run has ended, and not after the approval is removed", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [ended, gone] = [approval(), approval()]
      for (const one of [ended, gone]) yield* Effect.andThen(create(one), resolve(one))
      yield* store.closeForRun(ended.run_id, "COMPLETED", start)
      yield* store.remove(gone.id, Owner.anyone)
      assert.deepStrictEqual(yield* pendingResumesOf([ended, gone]), [keyOf(ended)])
    }))

  it.effect("pending resumes are listed in pages, in the order of their ids", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const prefix = newId("page")
      const all = ["a", "b", "c"].map((name) => approval({ id: Approval.Id.make(`${prefix}-${name}`) }))
      for (const one of all.toReversed()) yield* Effect.andThen(create(one), resolve(one))
      const keys = all.map(keyOf)
      const first = yield* store.listPendingResumes({ after: Approval.Id.make(prefix), limit: 2 })
      assert.deepStrictEqual(first, keys.slice(0, 2))
      assert.deepStrictEqual(yield* store.listPendingResumes({ after: first[1]!.id, limit: 1 }), keys.slice(2))
    }))
}
