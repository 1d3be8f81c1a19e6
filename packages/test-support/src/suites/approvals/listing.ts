// Lists of approvals. The store has approvals of other tests, so each test finds its own by a schedule id.
import { assert, type Vitest } from "@effect/vitest"
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import { type ApprovalFilter, ApprovalStore, filterable } from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect } from "effect"
import { newId, runId } from "../Samples.ts"
import { approval, create, resolve, start } from "./Approvals.ts"

const everything = { page: 1, limit: 1_000 }

export const listing = (it: Vitest.MethodsNonLive<ApprovalStore>) => {
  it.effect("approvals are listed newest first, the last one created where two are of one second, in pages, with the real total", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const schedule_id = newId("schedule")
      const [first, second, third] = [2, 1, 2].map((n) => approval({ schedule_id, created_at: start + n })) as [
        Approval.Approval,
        Approval.Approval,
        Approval.Approval
      ]
      yield* Effect.forEach([first, second, third], create)
      const list = (page: number, limit: number) =>
        store.list({ owner: Owner.anyone, fields: { schedule_id } }, { page, limit }, start)
      assert.deepStrictEqual(yield* list(1, 2), { approvals: [third, first], total: 3 })
      assert.deepStrictEqual(yield* list(2, 2), { approvals: [second], total: 3 })
      assert.deepStrictEqual(yield* list(3, 2), { approvals: [], total: 3 })
      assert.deepStrictEqual(yield* list(Number.MAX_SAFE_INTEGER, 1_000), { approvals: [], total: 3 })
    }))

  it.effect.each(filterable.filter((field) => field !== "schedule_id"))(
    "the list is filtered by %s",
    (field) =>
      Effect.gen(function*() {
        const store = yield* ApprovalStore
        const schedule_id = newId("schedule")
        const values = {
          source_type: ["agent", "team"],
          approval_type: ["required", "audit"],
          pause_type: ["confirmation", "user_input"]
        } as Readonly<Record<string, ReadonlyArray<string>>>
        const [one, other] = values[field] ?? [runId(), runId()]
        const wanted = approval({ schedule_id, [field]: one })
        yield* Effect.forEach([approval({ schedule_id, [field]: other }), wanted, approval({ [field]: one })], create)
        const fields = { schedule_id, [field]: one }
        const found = yield* store.list({ owner: Owner.anyone, fields }, everything, start)
        assert.deepStrictEqual(found, { approvals: [wanted], total: 1 })
        const none = yield* store.list({ owner: Owner.anyone, fields: { ...fields, agent_id: "" } }, everything, start)
        assert.deepStrictEqual(none, { approvals: [], total: 0 })
      })
  )

  it.effect("the list is filtered by the effective status of an approval, which time changes", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const [schedule_id, run_id] = [newId("schedule"), runId()]
      const waiting = approval({ schedule_id })
      const expiring = approval({ schedule_id, expires_at: start + 60 })
      const approved = approval({ schedule_id, expires_at: start + 60 })
      const rejected = approval({ schedule_id })
      const cancelled = approval({ schedule_id, run_id })
      yield* Effect.forEach([waiting, expiring, approved, rejected, cancelled], create)
      yield* resolve(approved)
      yield* resolve(rejected, start, { status: "rejected", resolved_by: null, resolution_data: null })
      yield* store.closeForRun(run_id, "CANCELLED", start)
      const read = Effect.fnUntraced(function*(status: ApprovalFilter["status"], at: number) {
        const found = yield* store.list({ owner: Owner.anyone, status, fields: { schedule_id } }, everything, at)
        assert.strictEqual(found.total, found.approvals.length)
        for (const one of found.approvals) assert.strictEqual(one.status, status)
        return found.approvals.map(({ id }) => id)
      })
      assert.deepStrictEqual(yield* read("pending", start + 59), [expiring.id, waiting.id])
      assert.deepStrictEqual(yield* read("expired", start + 59), [])
      assert.deepStrictEqual(yield* read("pending", start + 60), [waiting.id])
      assert.deepStrictEqual(yield* read("expired", start + 60), [expiring.id])
      assert.deepStrictEqual(yield* read("approved", start + 60), [approved.id])
      assert.deepStrictEqual(yield* read("rejected", start + 60), [rejected.id])
      assert.deepStrictEqual(yield* read("cancelled", start + 60), [cancelled.id])
    }))
}
