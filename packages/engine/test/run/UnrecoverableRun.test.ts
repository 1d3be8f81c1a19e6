import { assert, it } from "@effect/vitest"
import { continuation } from "@svc-runtime/agents/workflow/pause/WorkflowContinuation"
import * as UnrecoverableRun from "../../src/run/engine/UnrecoverableRun.ts"

it("the text of a run that cannot be executed tells to continue it only if a request can continue it", () => {
  const [failed, none] = [{ status: "ERROR" } as never, undefined as never]
  const conflict = continuation.conflictOf(failed, none)
  assert.strictEqual(conflict?.message, "run has errored")
  assert.strictEqual(
    UnrecoverableRun.textOf("workflow", "No factory"),
    "No factory. A failed workflow cannot be continued: start a new run."
  )
  for (const kind of ["agent", "team"] as const) {
    assert.strictEqual(UnrecoverableRun.textOf(kind, "No factory"), "No factory. Continue the run to try again.")
  }
})
