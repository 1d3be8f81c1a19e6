// The usage of a run and of the runs inside of it.
import { assert, describe, it } from "@effect/vitest"
import * as AnyRun from "../src/AnyRun.ts"
import * as Run from "../src/Run.ts"

const metrics = { total_tokens: 10, cost: 0.5 }
const agent = (run_id: string): Run.Output => ({
  run_id: Run.Id.make(run_id),
  agent_id: "a",
  session_id: "s",
  content_type: "str",
  created_at: 0,
  status: "COMPLETED",
  metrics
})
const total = (run: unknown) => (run as Partial<AnyRun.Output>).total_metrics?.total_tokens

describe("the total of a run", () => {
  it("a run without others inside has none", () => {
    assert.deepStrictEqual(AnyRun.withTotal(agent("a")), agent("a"))
  })

  it("runs inside of runs have theirs, also those of the steps of a workflow, and none is counted twice", () => {
    const inner = { ...agent("inner"), member_responses: [agent("deep")] }
    const { agent_id: _, ...rest } = agent("w")
    const workflow = { ...rest, workflow_id: "w", step_executor_runs: [inner, { started: "without a run" }] }
    const whole = AnyRun.withTotal(workflow as unknown as AnyRun.Output)
    assert.strictEqual(total(whole), 20)
    const runs = AnyRun.isWorkflow(whole) ? whole.step_executor_runs ?? [] : []
    assert.deepStrictEqual([total(runs[0]), runs[1]], [20, { started: "without a run" }])
    assert.strictEqual(total(AnyRun.withTotal(whole)), 20)
  })
})
