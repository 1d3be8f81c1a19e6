// What approvals cost the database: how many statements each method is.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { approval, approved, start } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { Effect, Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import { statementsOf } from "./statementsOf.ts"

const one = approval()

layer(SqlApprovalStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layerCopied)))(
  "What approvals cost",
  (it) => {
    it.effect("each method is one statement, and one more for the total past the last page", () =>
      Effect.gen(function*() {
        const store = yield* ApprovalStore
        const everybodys = { owner: Owner.anyone }
        const counts: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>, number]> = [
          ["create", store.create(one, one.run_id), 1],
          ["create, again", store.create(one, one.run_id), 1],
          ["get", store.get(one.id, Owner.anyone, start), 1],
          ["list", store.list(everybodys, { page: 1, limit: 1 }, start), 1],
          ["list, past the last page", store.list(everybodys, { page: 9, limit: 9 }, start), 2],
          ["countPending", store.countPending(Owner.anyone, start), 1],
          ["listByRun", store.listByRun(one.run_id, start), 1],
          ["closeForRun", store.closeForRun(one.run_id, "ERROR", start), 1],
          ["resolve", store.resolve(one.id, Owner.anyone, approved, start), 1],
          ["resolve, again", Effect.flip(store.resolve(one.id, Owner.anyone, approved, start)), 1],
          ["listPendingResumes", store.listPendingResumes({ after: undefined, limit: 100 }), 1],
          ["markResumed", store.markResumed([one.id]), 1],
          ["remove", store.remove(one.id, Owner.anyone), 1]
        ]
        for (const [name, method, expected] of counts) assert.strictEqual(yield* statementsOf(method), expected, name)
      }))
  }
)
