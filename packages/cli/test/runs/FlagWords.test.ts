// What the service says about missing decisions, in words of the command line.
import { assert, describe, it } from "@effect/vitest"
import * as ApprovalData from "@svc-runtime/agents/agent/continue/ApprovalData"
import * as Needed from "@svc-runtime/agents/agent/continue/Needed"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as FlagWords from "../../src/service/FlagWords.ts"

const call = (fields: Partial<ToolExecution.ToolExecution>) =>
  ({ tool_call_id: "c", tool_name: "pay", tool_args: {}, ...fields }) as ToolExecution.ToolExecution
const step = (fields: Partial<StepRequirement.StepRequirement>) => fields as StepRequirement.StepRequirement
const field = { name: "day", value: null, required: true }

const withValues = { requires_user_input: true, user_input_schema: [field] } as never
const routed = { requires_route_selection: true, available_choices: ["a", "b"] }

const cases: ReadonlyArray<readonly [needed: string | undefined, flags: string]> = [
  [Needed.ofCall(call({ requires_confirmation: true })), "--approve or --reject"],
  [Needed.ofCall(call({ outcome_unknown: true })), "--result TEXT, or --approve, which repeats it, or --reject"],
  [Needed.ofCall(call({ external_execution_required: true })), "--result TEXT"],
  [Needed.ofCall(call(withValues)), "values of 'day' with --values"],
  [Needed.ofStep(step({})), "--approve or --reject"],
  [Needed.ofStep(step(withValues)), "values of 'day' with --values"],
  [Needed.ofStep(step({ requires_confirmation: true, ...withValues as object })), "values of 'day' with --values"],
  [Needed.ofStep(step(routed)), "--choices among 'a', 'b'"],
  [Needed.ofStep(step({ requires_confirmation: true, ...routed })), "--choices among 'a', 'b'"],
  [Needed.ofError, "--approve, which tries it again, or --reject, which skips it"],
  [ApprovalData.needOf(call({ external_execution_required: true })), "pay needs --result TEXT"],
  [ApprovalData.needOf(call(withValues)), "pay needs values of 'day' with --values"]
]

describe("a refusal of the service", () => {
  it.each(cases)("%s has flags in its place", (needed, flags) => {
    assert.strictEqual(FlagWords.of(needed ?? ""), flags)
    const before = "body.step_requirements: Cannot continue run - unresolved step requirements: ['a', 'b']"
    assert.strictEqual(
      FlagWords.of(`${before}. Send for 'a' ${needed}; for 'b' ${needed}`),
      `Cannot continue run - unresolved step requirements: ['a', 'b']. Give for 'a' ${flags}; for 'b' ${flags}`
    )
  })

  it("Other refusals stay as they are.", () => {
    for (const text of ["body.message: Field required", "the step 'a' takes no values", "run is already running"]) {
      assert.strictEqual(FlagWords.of(text), text)
    }
  })
})
