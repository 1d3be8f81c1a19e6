// Approvals that are stored before the first request: the test creates them, not a run.
import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import type * as Approval from "@svc-runtime/domain/Approval"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { Context, Effect, Layer } from "effect"

/** The store that has them, and the layer that a service takes it from. */
export const storeWith = Effect.fnUntraced(function*(...made: ReadonlyArray<Approval.Approval>) {
  const context = yield* Layer.build(
    Layer.fresh(ApprovalStore.layerMemory).pipe(Layer.provide(Layer.fresh(MemoryDatabase.layer)))
  )
  const store = Context.get(context, ApprovalStore)
  yield* Effect.forEach(made, (one) => store.create(one, one.run_id), { discard: true })
  return { store, layer: Layer.succeedContext(context) }
})
