// A run is resumed with the decisions of a caller on its approvals. Of this caller and the ones that resolve the
// approvals, the first one wins.
import { assert, type Vitest } from "@effect/vitest"
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { Effect, Option } from "effect"
import * as Sample from "../approvals/Approvals.ts"
import { ending, newRun } from "../Samples.ts"

/** A paused run that waits for approvals. */
const waiting = Effect.fnUntraced(function*(count: number) {
  const runs = yield* RunStore
  const { node, ...begun } = newRun()
  const { run_id, session_id } = begun
  yield* runs.create({ ...begun, node })
  const approvals = yield* Effect.forEach(
    Array.from({ length: count }),
    () => Sample.create(Sample.approval({ run_id, session_id }))
  )
  yield* runs.finish(ending({ ...begun, node }, { run: { status: "PAUSED" } }))
  const decided = approvals.map(({ id }, index) => ({
    id,
    status: index === 0 ? "rejected" as const : "approved" as const,
    resolved_by: "boss",
    resolution_data: index === 0 ? null : { note: "A zero: \u0000" },
    at: Sample.start + 5
  }))
  const resume = (attempt = 1) => runs.resume({ run_id, attempt, node, entry: { decided: true }, decided })
  const found = Effect.forEach(approvals, (one) => Sample.find(one))
  const status = Effect.map(
    runs.snapshot(session_id, run_id, { owner: Owner.anyone }),
    (run): Run.Status => Option.getOrThrow(run).status
  )
  return { approvals, found, resume, status }
})

const resolved = ({ id }: Approval.Approval) =>
  ApprovalStore.use((store) => Effect.isSuccess(store.resolve(id, Owner.anyone, Sample.approved, Sample.start)))

export const decidedResumes = (it: Vitest.MethodsNonLive<ApprovalStore | RunStore>) => {
  it.effect("a run is resumed with decisions on approvals that still wait, which have them then", () =>
    Effect.gen(function*() {
      const { approvals, found, resume, status } = yield* waiting(2)
      assert.isTrue(Option.isSome(yield* resume()))
      assert.strictEqual(yield* status, "RUNNING")
      const decided = { resolved_by: "boss", resolved_at: Sample.start + 5 }
      for (const [index, one] of (yield* found).entries()) {
        assert.deepInclude(one, {
          ...decided,
          status: index === 0 ? "rejected" : "approved",
          resolution_data: index === 0 ? null : { note: "A zero: \u0000" }
        })
      }
      assert.isFalse(yield* resolved(approvals[0]!))
    }))

  it.effect("a run is not resumed, and no approval is resolved, if one of them is resolved or the run was resumed", () =>
    Effect.gen(function*() {
      const { approvals, found, resume, status } = yield* waiting(2)
      assert.isTrue(Option.isNone(yield* resume(2)))
      assert.isTrue(yield* resolved(approvals[1]!))
      assert.isTrue(Option.isNone(yield* resume()))
      assert.strictEqual(yield* status, "PAUSED")
      assert.deepStrictEqual((yield* found).map((one) => one?.status), ["pending", "approved"])
    }))

  it.effect("of a resumption and the resolving of its approval at once, one happens", () =>
    Effect.gen(function*() {
      for (let round = 0; round < 10; round++) {
        const { approvals, found, resume, status } = yield* waiting(1)
        const [isResumed, isResolved] = yield* Effect.all(
          [Effect.map(resume(), Option.isSome), resolved(approvals[0]!)],
          { concurrency: 2 }
        )
        assert.strictEqual(isResumed, !isResolved)
        assert.strictEqual(yield* status, isResumed ? "RUNNING" : "PAUSED")
        assert.deepStrictEqual((yield* found).map((one) => one?.status), [isResumed ? "rejected" : "approved"])
      }
    }))
}
