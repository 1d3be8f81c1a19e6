// What the clients of other protocols read of the steps that a workflow waits for.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as Questions from "../../src/pause/Questions.ts"

const at = (step_index: StepRequirement.StepIndex, more: Partial<StepRequirement.StepRequirement> = {}) => ({
  ...StepRequirement.blank({ step_id: "s", step_name: "send", step_index, step_type: "Step" }),
  requires_confirmation: true,
  ...more
})

const argsOf = (requirement: StepRequirement.StepRequirement): Json.Value | undefined =>
  Questions.of({ step_requirements: [requirement] })[0]?.args

describe("A question about a step", () => {
  it("A question names the item of a list by the place of the step, and by what the step gets.", () => {
    const args = ["ann", "bob"].map((item, index) =>
      argsOf(at([1, index, 0], { step_input: { input: "All of them", previous_step_content: item } }))
    )
    assert.deepStrictEqual(args, [
      { step: "send", step_index: [1, 0, 0], input: "ann" },
      { step: "send", step_index: [1, 1, 0], input: "bob" }
    ])
  })

  it("The first step of a workflow gets its input, and an input that is too large is left out.", () => {
    const first = at(0, { step_input: { input: "All of them", previous_step_content: null } })
    assert.deepStrictEqual(argsOf(first), { step: "send", input: "All of them" })
    assert.deepStrictEqual(argsOf(at([0, 2])), { step: "send", step_index: [0, 2] })
  })

  it("A review has the output that it is about, and a failure its reason, with the place of the step.", () => {
    const reviewed = at([0, 3, 0], { requires_confirmation: false, requires_output_review: true, step_output: "Dear" })
    assert.deepStrictEqual(argsOf(reviewed), { step: "send", step_index: [0, 3, 0], output: "Dear" })
    const failed: StepRequirement.ErrorRequirement = {
      step_id: "s",
      step_name: "send",
      step_index: [0, 4, 0],
      error_message: "no tea",
      error_type: "Error",
      retry_count: 0,
      decision: null
    }
    assert.deepStrictEqual(Questions.of({ error_requirements: [failed] })[0]?.args, {
      step: "send",
      step_index: [0, 4, 0],
      error: "no tea"
    })
  })

  it("the message of a question about a step inside of others has its place, also of one of its agent", () => {
    const id = "1/#3/0/>/1/$0?0"
    const call = {
      id: "q",
      created_at: "2026-11-21T01:10:13Z",
      tool_execution: ToolExecution.requested({ tool_call_id: "c", tool_name: "pay", tool_args: {}, created_at: 0 })
    }
    const failed = { step_id: "s", step_name: "send", error_message: "no tea", error_type: "Error", decision: null }
    const messages = [
      { step_requirements: [at(0)] },
      { step_requirements: [at([1, 2, 0])] },
      { step_requirements: [at(1, { id })] },
      { step_requirements: [at([1, 2, 0], { confirmation_message: "Send it?" })] },
      { step_requirements: [at(1, { id, executor_requirements: [call] })] },
      { error_requirements: [{ ...failed, step_index: [1, 2, 0], retry_count: 0 }] }
    ].map((waiting) => Questions.of(waiting)[0]?.message)
    assert.deepStrictEqual(messages, [
      "Step send needs a confirmation.",
      "Step send (1/2/0) needs a confirmation.",
      "Step send (1/2/0/1) needs a confirmation.",
      "Step send (1/2/0): Send it?",
      "Step send (1/2/0/1): pay needs a confirmation.",
      "Step send (1/2/0) failed: retry it, or skip it."
    ])
    assert.deepStrictEqual(argsOf(at(1, { id })), { step: "send", step_index: [1, 2, 0, 1] })
  })

  it("each failure of a step that is executed several times is a question of its own", () => {
    const failed = {
      step_id: "s",
      step_name: "send",
      step_index: 0,
      error_message: "no tea",
      error_type: "Error",
      retry_count: 0,
      decision: null
    }
    const idsOf = (id: string) => Questions.of({ error_requirements: [{ ...failed, id }] }).map((each) => each.id)
    const ids = ["0!0", "0!1", "0/#1/0!0", "0/#2/0!0", "0/$0/>/1!0", "0/$1/>/1!0"].flatMap(idsOf)
    assert.strictEqual(new Set(ids).size, 6)
  })

  const waiting = (id: string, more: Partial<StepRequirement.StepRequirement> = {}) =>
    at(0, { id, step_id: id.slice(0, 1), resolved: false, ...more })

  it("a question has the same id while other steps ask again, and fail", () => {
    const own = waiting("1?0")
    const failed = { ...own, id: "0!0", step_id: "0", error_message: "no tea", error_type: "Error", decision: null }
    const idsOf = (...others: ReadonlyArray<StepRequirement.StepRequirement>) =>
      Questions.of({ step_requirements: [...others, own] }).map(({ id }) => id)
    const [id = ""] = idsOf()
    assert.deepStrictEqual(idsOf(waiting("0?0", { resolved: true }), waiting("0?1")), [id])
    const failing = { step_requirements: [waiting("0?0", { resolved: true }), own], error_requirements: [failed] }
    assert.deepStrictEqual(Questions.of(failing).map(({ kind }) => kind), ["failed_step"])
    assert.deepStrictEqual(Questions.meantOf(failing, (question) => question.id === id).map((each) => each.id), [id])
  })

  it("the questions of several steps are the meant ones, or what is shown", () => {
    const all = {
      step_requirements: [waiting("0?0", { resolved: true }), waiting("1?0"), waiting("2?0"), waiting("3?0")]
    }
    const idsOf = (...meant: ReadonlyArray<string>) =>
      Questions.meantOf(all, ({ id }) => meant.includes(id)).map(({ id }) => id)
    assert.deepStrictEqual(idsOf(), ["3.3?0"])
    assert.deepStrictEqual(idsOf("0.0?0"), ["3.3?0"])
    assert.deepStrictEqual(idsOf("1.1?0"), ["1.1?0"])
    assert.deepStrictEqual(idsOf("1.1?0", "3.3?0"), ["3.3?0", "1.1?0"])
  })
})
