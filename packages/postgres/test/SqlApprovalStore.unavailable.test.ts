// The errors of the approval store when its database does not reply.
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { approval, approved, start } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { Effect } from "effect"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"

it.effect("every method fails with StorageUnavailable when no database listens", () =>
  Effect.gen(function*() {
    const store = yield* ApprovalStore
    const one = approval()
    const methods: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
      store.create(one, one.run_id),
      store.get(one.id, Owner.anyone, start),
      store.list({ owner: Owner.anyone }, { page: 1, limit: 1 }, start),
      store.countPending(Owner.anyone, start),
      store.resolve(one.id, Owner.anyone, approved, start),
      store.remove(one.id, Owner.anyone),
      store.listByRun(one.run_id, start),
      store.listPendingResumes({ after: undefined, limit: 1 }),
      store.markResumed([one.id]),
      store.closeForRun(one.run_id, "ERROR", start)
    ]
    for (const method of methods) assert.strictEqual((yield* Effect.flip(method))._tag, "StorageUnavailable")
  }).pipe(
    Effect.provide(SqlApprovalStore.layer),
    // no server has this port
    Effect.provide(PgClient.layer({ host: "127.0.0.1", port: 1, username: "unknown" }))
  ))
