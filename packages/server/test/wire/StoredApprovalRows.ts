// Approvals that are stored before the first request: the test creates them, not a run.
import type * as Approval from "@svc-runtime/domain/Approval"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import { Context, Effect, Layer } from "effect"

/** The store that has them, and the layer that a service takes it from. */
export const storeWith = Effect.fnUntraced(function*(...made: ReadonlyArray<Approval.Approval>) {
  const context = yield* Layer.build(TestDatabase.layer)
  const store = Context.get(context, ApprovalStore)
  yield* Effect.forEach(made, (one) => store.create(one, one.run_id), { discard: true })
  return { store, layer: Layer.succeed(ApprovalStore, store) }
})
