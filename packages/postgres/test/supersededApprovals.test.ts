// A run that another one replaces no longer waits for its approvals.
import { assert, layer } from "@effect/vitest"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { approval, create, find, resolve, start } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { ending, newRun, runId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import { Stores } from "./Stores.ts"

const stores = Layer.provideMerge(SqlApprovalStore.layer, Stores).pipe(Layer.provideMerge(PgliteLayer.layer))

layer(stores, { excludeTestServices: true })("A run that is replaced", (it) => {
  it.effect("pending approvals of a superseded run and of runs inside of it are cancelled, and no others", () =>
    Effect.gen(function*() {
      const [approvals, runs] = [yield* ApprovalStore, yield* RunStore]
      const begun = newRun()
      yield* runs.create(begun)
      const { run_id, session_id } = begun
      const [own, decided, expired, other] = [
        approval({ run_id, session_id }),
        approval({ run_id, session_id }),
        approval({ run_id, session_id, expires_at: start + 5 }),
        approval()
      ]
      yield* Effect.forEach([own, decided, expired, other], create)
      const inside = approval({ run_id: runId(), session_id })
      yield* approvals.create(inside, run_id)
      yield* resolve(decided, start + 1)
      const statuses = Effect.forEach(
        [own, inside, decided, expired, other],
        (one) => Effect.map(find(one), (found) => found?.status)
      )
      yield* runs.supersede(run_id, start + 9)
      assert.deepStrictEqual(yield* statuses, ["pending", "pending", "approved", "pending", "pending"], "it is running")
      yield* runs.finish(ending(begun, { run: { status: "PAUSED" } }))
      yield* runs.supersede(run_id, start + 9)
      assert.deepStrictEqual(yield* statuses, ["cancelled", "cancelled", "approved", "pending", "pending"])
      assert.deepInclude((yield* find(own)) ?? {}, { run_status: "REGENERATED", updated_at: start + 9 })
    }))
})
