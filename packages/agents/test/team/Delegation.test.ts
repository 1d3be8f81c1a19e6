import { assert, it } from "@effect/vitest"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import { childRun } from "../../src/team/Delegation.ts"

const paused = (...times: ReadonlyArray<number | undefined>) => {
  const requirements = times.map((wake_at, index) => ({
    id: `r-${index}`,
    created_at: "",
    tool_execution: { tool_name: "sleep", ...(wake_at === undefined ? {} : { wake_at }) }
  }))
  const output = { run_id: "run", status: "PAUSED", content: "The run waits.", requirements }
  return childRun({ id: "payer" as never, name: "Payer" }, output as unknown as AnyRun.Output).content
}

it("a member that only waits for a time needs no person", () => {
  assert.strictEqual(paused(60), "Payer waits for a time before it can continue. The run waits.")
  assert.strictEqual(paused(60, undefined), "Payer needs a person before it can continue. The run waits.")
})
