// What a channel shows of the steps that a workflow waits for.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import * as Prompts from "../Prompts.ts"

const textOf = (step_index: StepRequirement.StepIndex, previous_step_content: Json.Value) => {
  const requirement: StepRequirement.StepRequirement = {
    ...StepRequirement.blank({ step_id: "s", step_name: "send", step_index, step_type: "Step" }),
    requires_confirmation: true,
    confirmation_message: "Send it?",
    step_input: { input: "All of them", previous_step_content }
  }
  return Questions.of({ step_requirements: [requirement] }).map((question) =>
    Prompts.pendingOf(question, { hasButtons: true, hasForms: true }, "U1").text
  )
}

describe("The prompt for a step", () => {
  it("A person reads the item of a list that the decision is about.", () => {
    assert.deepStrictEqual(textOf([0, 1, 0], "bob"), ["Step send (0/1/0): Send it?\n\n```\nbob\n```"])
    assert.deepStrictEqual(textOf([0, 2, 0], { to: "eve" }), [
      "Step send (0/2/0): Send it?\n\n```\n{\"to\":\"eve\"}\n```"
    ])
    assert.include(textOf([0, 1, 0], "b".repeat(9000))[0], "… (9000 characters)")
    assert.deepStrictEqual(textOf(0, null), ["Send it?"])
  })
})
