// Resolving an approval also stores that its run has to be resumed, because the node may stop before it has done that.
import { assert, type Vitest } from "@effect/vitest"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect } from "effect"
import { newId, runId } from "../Samples.ts"
import { approval, approved, create, find, question, resolve, start } from "./Approvals.ts"

/** The pending resumes of these approvals. */
const pendingOf = Effect.fnUntraced(function*(all: ReadonlyArray<Approval.Approval>) {
  const store = yield* ApprovalStore
  const pending = yield* store.listPendingResumes({ after: undefined, limit: 10_000 })
  return pending.filter(({ id }) => all.some((one) => one.id === id))
})

const resumeOf = ({ id, run_id, session_id }: Approval.Approval, root_run_id = run_id) => ({
  id,
  run_id,
  session_id,
  root_run_id
})

export const pendingResumes = (it: Vitest.MethodsNonLive<ApprovalStore>) => {
  it.effect("A resume is pending from the decision until it is marked", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [one, other, pending] = [approval(), approval(), approval()]
      const all = [one, other, pending]
      yield* Effect.forEach(all, create)
      assert.deepStrictEqual(yield* pendingOf(all), [])
      yield* resolve(one, start + 1)
      yield* resolve(other, start + 1, { ...approved, status: "rejected" })
      assert.sameDeepMembers([...yield* pendingOf(all)], [resumeOf(one), resumeOf(other)])
      yield* store.markResumed([one.id])
      assert.deepStrictEqual(yield* pendingOf(all), [resumeOf(other)])
      yield* store.markResumed([one.id, pending.id, Approval.Id.make(newId("approval"))])
      yield* store.markResumed([])
      assert.deepStrictEqual(yield* pendingOf(all), [resumeOf(other)])
      assert.strictEqual((yield* find(one))?.status, "approved", "nothing else is changed")
      yield* store.markResumed([one.id, other.id])
      assert.deepStrictEqual(yield* pendingOf(all), [])
    }))

  it.effect("A pending resume names the root run that was given at the creation", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [one, root] = [approval(), runId()]
      yield* store.create(one, root)
      const { pendingResume } = yield* store.resolve(one.id, Owner.anyone, approved, start + 1)
      assert.deepStrictEqual(pendingResume, resumeOf(one, root))
      assert.deepStrictEqual(yield* pendingOf([one]), [resumeOf(one, root)])
    }))

  it.effect("A run that pauses again for a resolved approval makes its resume pending again", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [one, open] = [approval(), approval()]
      const audit = Approval.audit(question(), "approved", "RUNNING")
      const all = [one, open, audit]
      yield* Effect.forEach(all, create)
      yield* resolve(one, start + 1)
      yield* store.markResumed([one.id])
      yield* Effect.forEach(all, create)
      assert.deepStrictEqual(yield* pendingOf(all), [resumeOf(one)])
    }))

  it.effect("A resume stays pending after the run has ended, and ends with its approval", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [ended, gone] = [approval(), approval()]
      for (const one of [ended, gone]) yield* Effect.andThen(create(one), resolve(one))
      yield* store.closeForRun(ended.run_id, "COMPLETED", start)
      yield* store.remove(gone.id, Owner.anyone)
      assert.deepStrictEqual(yield* pendingOf([ended, gone]), [resumeOf(ended)])
    }))

  it.effect("Pending resumes are listed in pages, in the order of the ids of their approvals", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const prefix = newId("page")
      const all = ["a", "b", "c"].map((name) => approval({ id: Approval.Id.make(`${prefix}-${name}`) }))
      for (const one of all.toReversed()) yield* Effect.andThen(create(one), resolve(one))
      const resumes = all.map((one) => resumeOf(one))
      const first = yield* store.listPendingResumes({ after: Approval.Id.make(prefix), limit: 2 })
      assert.deepStrictEqual(first, resumes.slice(0, 2))
      assert.deepStrictEqual(yield* store.listPendingResumes({ after: first[1]!.id, limit: 1 }), resumes.slice(2))
    }))
}
