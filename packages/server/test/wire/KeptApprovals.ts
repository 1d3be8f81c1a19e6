// Approvals that are there before anybody asks: runs make them, and no request does.
import type * as Approval from "@svc/domain/Approval"
import { ApprovalStore } from "@svc/runtime/approval/ApprovalStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { Context, Effect, Layer } from "effect"

/** The store that has them, and the layer that a service takes it from. */
export const keeping = Effect.fnUntraced(function*(...made: ReadonlyArray<Approval.Approval>) {
  const context = yield* Layer.build(
    Layer.fresh(ApprovalStore.layerMemory).pipe(Layer.provide(Layer.fresh(MemoryDatabase.layer)))
  )
  const store = Context.get(context, ApprovalStore)
  yield* Effect.forEach(made, (one) => store.create(one, one.run_id), { discard: true })
  return { store, layer: Layer.succeedContext(context) }
})
