// What happens when two statements about one approval meet in the database.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { approval, create, find, resolve, start } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { session } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"
import { during } from "./during.ts"

const Database = Layer.mergeAll(SqlApprovalStore.layer, SqlSessionStore.layer).pipe(
  Layer.provide(Migrations.layer),
  Layer.provideMerge(PostgresLayer.layer)
)

const rejected = { status: "rejected", resolved_by: "first", resolution_data: null } as const

layer(Database, { excludeTestServices: true })("Statements about one approval that meet", (it) => {
  it.effect("the second caller who resolves an approval gets the decision of the first", () =>
    Effect.gen(function*() {
      const one = approval()
      yield* create(one)
      const outcome = yield* during(resolve(one, start + 1, rejected), resolve(one, start + 2))
      assert.strictEqual(
        outcome._tag === "Failure" && outcome.failure.message,
        "Approval is already 'rejected' and cannot be resolved"
      )
      assert.strictEqual((yield* find(one))?.resolved_by, "first")
    }))

  it.effect("a caller who resolves an approval while its run is cancelled gets that status", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const one = approval()
      yield* create(one)
      const outcome = yield* during(store.closeForRun(one.run_id, "CANCELLED", start + 1), resolve(one, start + 2))
      assert.strictEqual(
        outcome._tag === "Failure" && outcome.failure.message,
        "Approval is already 'cancelled' and cannot be resolved"
      )
    }))

  it.effect("a run that is cancelled while its approval is resolved leaves the decision as it is", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const one = approval()
      yield* create(one)
      yield* during(resolve(one, start + 1, rejected), store.closeForRun(one.run_id, "CANCELLED", start + 2))
      const ended = { run_status: "CANCELLED", updated_at: start + 2 } as const
      assert.deepStrictEqual(yield* find(one), { ...one, ...rejected, resolved_at: start + 1, ...ended })
    }))

  it.effect("two approvals that are created under one id are one, that of the first", () =>
    Effect.gen(function*() {
      const one = approval()
      const outcome = yield* during(create(one), create({ ...one, tool_name: "other" }))
      assert.deepStrictEqual(outcome._tag === "Success" && outcome.success, one)
      assert.deepStrictEqual(yield* find(one), one)
    }))

  it.effect("an approval that is created while its session is removed is kept without it", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const of = session()
      yield* sessions.create(of)
      const one = approval({ session_id: of.session_id })
      const outcome = yield* during(sessions.remove([of.session_id], Owner.anyone), create(one))
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(yield* find(one), one)
    }))

  it.effect("an approval that is created before its session is removed is removed with it", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const of = session()
      yield* sessions.create(of)
      const one = approval({ session_id: of.session_id })
      const outcome = yield* during(create(one), sessions.remove([of.session_id], Owner.anyone))
      assert.strictEqual(outcome._tag, "Success")
      assert.isUndefined(yield* find(one))
    }))
})
