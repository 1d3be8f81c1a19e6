// Approvals of versions that did not store the root run: what the migration and the search make of them.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { approval, approved, start } from "@svc-runtime/test-support/suites/approvals/Approvals"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { migrations } from "../src/DatabaseContents.ts"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"

Tier.oneIn(8)

const migrateUntil = (last: number) =>
  Migrator.make({})({
    loader: Effect.map(migrations, (all) => all.filter(([id]) => id <= last)),
    table: Migrations.table
  })

const insertSession = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into svc_sessions (session_id, session_type, created_at, updated_at) values (${id}, 'agent', 1, 1)`)

interface Row {
  readonly run_id: string
  readonly status: string
  readonly kind?: string
  readonly outermost?: string
  readonly output?: object
}

const insertRun = (session: string, { kind = "agent", outermost, output = {}, run_id, status }: Row) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into svc_runs (
        run_id, session_id, parent_run_id, outermost_run_id, kind, component_id, node, status, created_at, updated_at,
        output
      ) values (
        ${run_id}, ${session}, ${outermost ?? null}, ${outermost ?? null}, ${kind}, 'c', 'n', ${status}, 1, 1,
        ${JSON.stringify(output)}
      )`)

/** Without its root run. Versions before the root run call the column of a pending resume `is_untold`. */
const insertApproval = (run_id: string, session_id: string, resumePending = false, column = "resume_pending") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into svc_approvals (
        id, run_id, session_id, status, source_type, approval_type, pause_type, created_at, updated_at, ${sql(column)}
      ) values (
        ${`${run_id}:required:0`}, ${run_id}, ${session_id}, ${
      resumePending ? "approved" : "pending"
    }, 'agent', 'required',
        'confirmation', 1, 1, ${resumePending}
      )`)

const stored = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql`select run_id, root_run_id, resume_pending from svc_approvals order by run_id`,
    (rows) => rows.map((row) => [row["run_id"], row["root_run_id"], row["resume_pending"]])
  ))

const runs = Effect.gen(function*() {
  yield* insertSession("s")
  yield* insertRun("s", { run_id: "own", status: "PAUSED" })
  yield* insertRun("s", { run_id: "team", kind: "team", status: "PAUSED" })
  yield* insertRun("s", { run_id: "member", outermost: "team", status: "PAUSED" })
  const output = { step_requirements: [{ executor_run_id: "executor" }] }
  yield* insertRun("s", { run_id: "flow", kind: "workflow", status: "PAUSED", output })
})

const pendingRoots = Effect.gen(function*() {
  const store = yield* ApprovalStore
  const all = yield* store.listPendingResumes({ after: undefined, limit: 100 })
  return all.map(({ root_run_id, run_id }): ReadonlyArray<string | null> => [run_id, root_run_id])
})

describe("Approvals without a root run", () => {
  it.effect("The migration stores the root runs that it finds, and keeps pending resumes", () =>
    Effect.gen(function*() {
      yield* migrateUntil(34)
      yield* runs
      for (const run of ["own", "member", "executor", "unknown"]) {
        yield* insertApproval(run, "s", run !== "member", "is_untold")
      }
      yield* Migrations.run
      assert.deepStrictEqual(yield* stored, [
        ["executor", "flow", true],
        ["member", "team", false],
        ["own", "own", true],
        ["unknown", null, true]
      ])
      const pending = yield* Effect.provide(pendingRoots, SqlApprovalStore.layer)
      assert.deepStrictEqual(pending, [["executor", "flow"], ["own", "own"], ["unknown", null]])
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("An unfinished run of the session is taken for the root run until the nested run is stored", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ApprovalStore
      yield* insertSession("s")
      yield* insertRun("s", { run_id: "flow", kind: "workflow", status: "RUNNING" })
      yield* insertApproval("executor", "s")
      yield* sql`update svc_approvals set status = 'approved', resume_pending = true`
      assert.deepStrictEqual(yield* pendingRoots, [["executor", "flow"]])
      yield* sql`update svc_runs set status = 'PAUSED'`
      assert.deepStrictEqual(yield* pendingRoots, [["executor", null]], "it does not wait for this approval")
      const one = approval({ run_id: Run.Id.make("own") })
      yield* store.create(one, Run.Id.make("flow"))
      const { pendingResume } = yield* store.resolve(one.id, Owner.anyone, approved, start)
      assert.strictEqual(pendingResume.root_run_id, "flow", "a stored root run is never searched for")
    }).pipe(
      Effect.provide(SqlApprovalStore.layer),
      Effect.provide(Migrations.layer),
      Effect.provide(PgliteLayer.layerEmpty)
    ))
})
