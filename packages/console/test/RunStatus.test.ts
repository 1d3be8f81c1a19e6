import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "../src/runs/RunStatus.ts"

describe("The status of a run in the console", () => {
  it("The console and the service agree on which runs are active, and which have ended.", () => {
    for (const status of Run.Status.literals) {
      assert.strictEqual(RunStatus.isActive(status), Run.isActive(status), status)
      assert.strictEqual(RunStatus.hasEnded(status), Run.hasEnded(status), status)
    }
  })
})
