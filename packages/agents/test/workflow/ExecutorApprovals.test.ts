// Which requirements of a workflow its approvals decide.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as ExecutorApprovals from "../../src/workflow/pause/ExecutorApprovals.ts"

const tool = (approval_id: string | null): ToolExecution.ToolExecution => ({
  ...ToolExecution.requested({ tool_call_id: "call_1", tool_name: "pay", tool_args: null, created_at: 0 }),
  requires_confirmation: true,
  approval_type: approval_id === null ? null : "required",
  approval_id
})

const requirement = (approval_id: string | null, more: object = {}) =>
  ({ id: `of ${approval_id}`, created_at: "now", tool_execution: tool(approval_id), ...more }) as unknown as Json.Value

const stepRequirement = (...executor_requirements: ReadonlyArray<Json.Value>) => ({
  executor_requirements,
  executor_run_id: "own"
})

describe("a step that an agent or a team does", () => {
  it("a step waits for approvals when there is nothing else that it waits for", () => {
    const both = stepRequirement(requirement("a"), requirement("b", { member_run_id: "member" }))
    const awaited = { approvals: ["a", "b"], runs: ["own", "member"] }
    assert.deepStrictEqual<unknown>(ExecutorApprovals.awaited(both), { ...awaited, wakesAt: 0 })
    const asleep = (wake_at: number) => requirement(null, { tool_execution: { ...tool(null), wake_at } })
    const later = stepRequirement(...both.executor_requirements, asleep(5), asleep(7))
    assert.deepStrictEqual<unknown>(ExecutorApprovals.awaited(later), { ...awaited, wakesAt: 7 })
    assert.isUndefined(ExecutorApprovals.awaited(stepRequirement(requirement("a"), requirement(null))))
    assert.isUndefined(ExecutorApprovals.awaited(stepRequirement()))
  })

  it("a step waits for none of the approvals that were resolved, whatever the decision", () => {
    assert.isUndefined(ExecutorApprovals.awaited(stepRequirement(requirement("a", { confirmation: true }))))
    assert.isUndefined(ExecutorApprovals.awaited(stepRequirement({ id: "of a", confirmation: true })))
    assert.isUndefined(ExecutorApprovals.awaited({}))
  })
})
