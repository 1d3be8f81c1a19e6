// Rows of approvals that were damaged, in any column: other approvals can be listed, decided and resumed.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { approval, create, resolve, start } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { runId } from "@svc-runtime/test-support/suites/Samples"
import { Cause, Effect, Exit, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"

const stores = SqlApprovalStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provideMerge(PgliteLayer.layer))

/** By the type of a column. */
const damages: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: ["null", "''", "'nonsense'"],
  json: ["null", "'3'", `'"text"'`, "'[]'", "'{}'", "(repeat('[', 3000) || repeat(']', 3000))::json"],
  bigint: ["null", "-1", "9223372036854775807"],
  boolean: ["true"]
}

const columns = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly column_name: string; readonly data_type: string }>`
    select column_name, data_type from information_schema.columns
    where table_name = 'svc_approvals' and is_identity = 'NO' order by ordinal_position`
  return rows.flatMap(({ column_name, data_type }) =>
    (damages[data_type] ?? []).map((value) => `${column_name} = ${value}`)
  )
})

const othersServed = Effect.fnUntraced(function*(damage: string) {
  const store = yield* ApprovalStore
  const sql = yield* SqlClient.SqlClient
  const run_id = runId()
  const [damaged, waiting, resolved] = [approval({ run_id }), approval({ run_id }), approval({ run_id })]
  yield* Effect.forEach([damaged, waiting, resolved], create)
  yield* resolve(resolved)
  const update = yield* Effect.exit(sql.unsafe(`update svc_approvals set ${damage} where id = $1`, [damaged.id]))
  // the database itself refuses it
  if (Exit.isFailure(update)) return
  const ids = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id)
  const { approvals } = yield* store.list({ owner: Owner.anyone }, { page: 1, limit: 10 }, start)
  assert.includeMembers(ids(approvals), [waiting.id, resolved.id], "the list")
  assert.includeMembers(ids(yield* store.listByRun(run_id, start)), [waiting.id, resolved.id], "those of the run")
  assert.includeMembers(
    ids(yield* store.listPendingResumes({ after: undefined, limit: 10 })),
    [resolved.id],
    "the pending resumes"
  )
  assert.isAtLeast(yield* store.countPending(Owner.anyone, start), 1, "the count")
  assert.strictEqual((yield* resolve(waiting)).status, "approved")
  yield* store.markResumed([resolved.id, waiting.id])
  yield* store.closeForRun(run_id, "COMPLETED", start)
})

layer(stores, { excludeTestServices: true })("A damaged row of an approval", (it) => {
  it.effect("a damaged approval does not affect other approvals, of the same run or of others, in any column", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const failures: Array<string> = []
      for (const damage of yield* columns) {
        const served = yield* Effect.exit(othersServed(damage))
        if (Exit.isFailure(served)) failures.push(`${damage}: ${String(served.cause).slice(0, 200)}`)
        yield* sql`delete from svc_approvals`
      }
      assert.deepStrictEqual(failures, [])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("a decision about an approval that cannot be read fails, and is not stored", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const damaged = approval()
      yield* create(damaged)
      yield* sql`update svc_approvals set context = '3' where id = ${damaged.id}`
      const exit = yield* Effect.exit(resolve(damaged))
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "cannot be read. Damaged columns: context")
      const [stored] = yield* sql<{ readonly status: string }>`
        select status from svc_approvals where id = ${damaged.id}`
      assert.strictEqual(stored?.status, "pending")
    }))
})
