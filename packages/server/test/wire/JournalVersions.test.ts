// Runs that paused in a version with another format of journal entries are resumed by this one.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import type { Database } from "@svc-runtime/engine/database/Database"
import { Effect } from "effect"
import { at, post } from "../Wire.ts"
import { ending, kinds, waiting } from "./PayingRuns.ts"

const workflowKinds = ["finished", "chosen", "undertaken", "decided"]

/** As version 1 stored the entry. */
const toVersion1 = ({ v: _, ...entry }: Json.Object): Json.Object => {
  const { key, kind, ...rest } = entry
  const nested = (rest["entry"] ?? {}) as Json.Object
  if (kind === "batch") return { together: (rest["entries"] as ReadonlyArray<Json.Object>).map(toVersion1) }
  if (kind === "inner") return { inside: key!, entry: toVersion1(nested) }
  if (kind === "executor") return { type: "inner", run_id: key!, ...rest, entry: toVersion1(nested) }
  const isOfWorkflow = workflowKinds.includes(String(kind)) || "requirement" in rest
  return isOfWorkflow ? { type: kind!, ...(key === undefined ? {} : { key }), ...rest } : entry
}

const storingVersion1 = (stored: Array<Json.Object>) => (database: Database): Database => ({
  ...database,
  runs: {
    ...database.runs,
    record: (recorded) => {
      const entry = { ...toVersion1(recorded.entry), v: 1 }
      stored.push(entry)
      return database.runs.record({ ...recorded, entry })
    }
  }
})

describe.each(Object.keys(kinds))("A run of %s whose journal is of version 1", (kind) => {
  it.effect("The run is resumed after its approval, and executes its call once", () =>
    Effect.gen(function*() {
      const stored: Array<Json.Object> = []
      const { id, paid, path, server } = yield* waiting(kind, { database: storingVersion1(stored) })
      assert.isNotEmpty(stored)
      assert.notInclude(JSON.stringify(stored), `"kind":"executor"`)
      yield* post(server, `/approvals/${encodeURIComponent(id)}/resolve`, { status: "approved" })
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      assert.deepStrictEqual(paid, ["paid"])
    }))
})
