import type * as Json from "@svc-runtime/domain/Json"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Answer from "../../src/pause/Answer.ts"
import * as Decisions from "../../src/pause/Decisions.ts"
import type { Question } from "../../src/pause/Question.ts"
import * as Questions from "../../src/pause/Questions.ts"

const requirement = (id: string, fields: Partial<ToolExecution.ToolExecution>): Requirement.Requirement => ({
  id,
  created_at: "2026-01-01T00:00:00Z",
  tool_execution: {
    ...ToolExecution.requested({
      tool_call_id: `call-${id}`,
      tool_name: "send",
      tool_args: { to: "x" },
      created_at: 1
    }),
    ...fields
  }
})

const confirmation = requirement("1", { requires_confirmation: true })
const input = requirement("2", {
  requires_user_input: true,
  user_input_schema: [
    { name: "to", field_type: "str", description: null, value: "x" },
    { name: "count", field_type: "int", description: "How many", value: null }
  ]
})
const external = requirement("3", { external_execution_required: true })
const unknown = requirement("4", { external_execution_required: true, outcome_unknown: true })

const blank = StepRequirement.blank({ step_id: "s1", step_name: "Publish", step_index: 0, step_type: "Step" })
const step = (fields: Partial<StepRequirement.StepRequirement>) => ({ step_requirements: [{ ...blank, ...fields }] })
const failed: StepRequirement.ErrorRequirement = {
  step_id: "s1",
  step_name: "Publish",
  step_index: 0,
  error_message: "No ink",
  error_type: "E",
  retry_count: 1,
  decision: null
}

const only = (waiting: Questions.Waiting): Question => {
  const questions = Questions.of(waiting)
  expect(questions).toHaveLength(1)
  return questions[0] as Question
}

const decided = (waiting: Questions.Waiting, payload: Parameters<typeof Answer.fromJson>[1]) => {
  const question = only(waiting)
  const answer = Result.getOrThrow(Answer.fromJson(question, payload))
  return Result.getOrThrow(Decisions.of([question], new Map([[question.id, answer]])))
}

describe("an answer to a call whose approval is resolved", () => {
  const read = (waiting: Requirement.Requirement, payload: Json.Value) => {
    const requirements = [waiting, { ...confirmation, id: "open" }]
    expect(Questions.of({ requirements }).map(({ id }) => id)).toEqual(["open"])
    const questions = Questions.shownOf({ requirements })
    const answers = questions.map((question) =>
      [
        question.id,
        Result.getOrThrow(Answer.fromJson(question, question.id === "open" ? { accepted: true } : payload))
      ] as const
    )
    return Decisions.of(questions, new Map(answers))
  }
  const approved = { ...confirmation, approval_status: "approved" } as const
  const rejected = { ...confirmation, approval_status: "rejected" } as const
  const filled = { ...input, approval_status: "approved" } as const

  it("the same plain decision is passed over", () => {
    for (
      const [waiting, payload] of [
        [approved, { accepted: true }],
        [rejected, { accepted: false }],
        [rejected, { accepted: false, note: "Late" }]
      ] as const
    ) {
      expect(read(waiting, payload)).toMatchObject({ success: { requirements: [{ id: "open", confirmed: true }] } })
    }
  })

  it("what is more than yes is compared when the run is continued", () => {
    for (
      const [waiting, payload, decision] of [
        [approved, { accepted: true, note: "Late" }, { confirmation_note: "Late" }],
        [approved, { accepted: true, editedArgs: { to: "y" } }, { tool_execution: { tool_args: { to: "y" } } }],
        [filled, { values: { count: 2 } }, { user_input_schema: [{ name: "count", value: 2 }] }]
      ] as const
    ) {
      expect(read(waiting, payload)).toMatchObject({
        success: { requirements: [{ id: waiting.id, confirmed: true, ...decision }, { id: "open" }] }
      })
    }
  })

  it("the opposite is refused with the calls that are open", () => {
    for (
      const [waiting, payload] of [
        [approved, { accepted: false }],
        [rejected, { accepted: true }]
      ] as const
    ) {
      expect(read(waiting, payload)).toMatchObject({
        failure: { reason: "decided", message: expect.stringMatching(/by now.*each other call: send \(open\)$/) }
      })
    }
  })
})

describe("the questions of a paused run", () => {
  it("each open requirement is a question, with its call", () => {
    const questions = Questions.of({ requirements: [confirmation, { ...external, external_execution_result: "done" }] })
    expect(questions).toMatchObject([{
      id: "1",
      kind: "confirmation",
      toolCallId: "call-1",
      name: "send",
      args: { to: "x" }
    }])
  })

  it("a field of an unknown type is text, also if each object has the name of the type", () => {
    const fields = [{ name: "to", field_type: "constructor", description: null, value: null }]
    const { schema } = only({
      requirements: [requirement("5", { requires_user_input: true, user_input_schema: fields })]
    })
    expect(schema).toMatchObject({ properties: { values: { properties: { to: { type: "string" } } } } })
  })

  it("the schema of a question describes the values that a person supplies", () => {
    expect(only({ requirements: [input] }).schema).toMatchObject({
      properties: {
        values: {
          properties: { to: { type: "string" }, count: { type: "integer", description: "How many" } },
          required: ["count"]
        }
      }
    })
  })

  it("each kind of pause has a kind of question", () => {
    const kindOf = (waiting: Questions.Waiting) => only(waiting).kind
    expect([
      kindOf({ requirements: [external] }),
      kindOf({ requirements: [unknown] }),
      kindOf(step({ requires_confirmation: true })),
      kindOf(step({ requires_user_input: true })),
      kindOf(step({ requires_route_selection: true, available_choices: ["a", "b"] })),
      kindOf(step({ requires_output_review: true, step_output: "Draft" })),
      kindOf({ error_requirements: [failed], step_requirements: [blank] })
    ]).toEqual([
      "external_execution",
      "unknown_outcome",
      "step_confirmation",
      "step_input",
      "route_choice",
      "output_review",
      "failed_step"
    ])
  })

  it("the requirements of the executor of a step are questions with their ids", () => {
    const waiting = step({ requires_executor_input: true, executor_requirements: [confirmation, external] })
    expect(Questions.of(waiting).map(({ id, kind }) => [id, kind])).toEqual([
      ["1", "confirmation"],
      ["3", "external_execution"]
    ])
  })
})

describe("an answer in JSON", () => {
  it("an answer confirms a call, with edited arguments", () => {
    expect(decided({ requirements: [confirmation] }, { accepted: true })).toEqual({
      requirements: [{ id: "1", confirmed: true }]
    })
    expect(decided({ requirements: [confirmation] }, { accepted: true, editedArgs: { to: "y" } })).toEqual({
      requirements: [{
        id: "1",
        confirmed: true,
        tool_execution: { tool_call_id: "call-1", tool_args: { to: "y" }, confirmed: true }
      }]
    })
  })

  it("approved is the same word as accepted", () => {
    expect(decided({ requirements: [confirmation] }, { approved: true, editedArgs: { to: "y" } })).toEqual(
      decided({ requirements: [confirmation] }, { accepted: true, editedArgs: { to: "y" } })
    )
    expect(decided({ requirements: [confirmation] }, { approved: false, note: "Too late" })).toEqual(
      decided({ requirements: [confirmation] }, { accepted: false, note: "Too late" })
    )
    expect(decided({ requirements: [unknown] }, { approved: true })).toEqual(
      decided({ requirements: [unknown] }, { accepted: true })
    )
    expect(decided(step({ requires_output_review: true }), { approved: true, output: "Better" })).toEqual(
      decided(step({ requires_output_review: true }), { accepted: true, output: "Better" })
    )
    expect(decided({ requirements: [input] }, { approved: false })).toEqual({
      requirements: [{ id: "2", confirmed: false }]
    })
  })

  it("a word of an answer is a value if the call asks for a value of that name", () => {
    const fields = [{ name: "approved", field_type: "bool", description: null, value: null }]
    const waiting = { requirements: [requirement("5", { requires_user_input: true, user_input_schema: fields })] }
    expect(decided(waiting, { approved: false })).toEqual({
      requirements: [{ id: "5", confirmed: true, user_input_schema: [{ name: "approved", value: false }] }]
    })
  })

  it("the result of a call that is executed elsewhere can have the word approved", () => {
    expect(decided({ requirements: [external] }, { approved: false })).toEqual({
      requirements: [{ id: "3", external_execution_result: "{\"approved\":false}" }]
    })
  })

  it("an answer rejects a call with a note", () => {
    expect(decided({ requirements: [confirmation] }, { accepted: false, note: "Too late" })).toEqual({
      requirements: [{ id: "1", confirmed: false, confirmation_note: "Too late" }]
    })
  })

  it("an answer supplies the values of a call", () => {
    expect(decided({ requirements: [input] }, { values: { count: 2 } })).toEqual({
      requirements: [{ id: "2", confirmed: true, user_input_schema: [{ name: "count", value: 2 }] }]
    })
  })

  it("an answer is the result of a call that is executed elsewhere, as text", () => {
    expect(decided({ requirements: [external] }, { temperature: 20 })).toEqual({
      requirements: [{ id: "3", external_execution_result: "{\"temperature\":20}" }]
    })
    expect(decided({ requirements: [external] }, "20 degrees")).toEqual({
      requirements: [{ id: "3", external_execution_result: "20 degrees" }]
    })
  })

  it("an answer repeats or skips a call whose result was lost", () => {
    expect(decided({ requirements: [unknown] }, { accepted: true })).toEqual({
      requirements: [{ id: "4", confirmed: true }]
    })
    expect(decided({ requirements: [unknown] }, { accepted: false })).toEqual({
      requirements: [{ id: "4", confirmed: false }]
    })
  })

  it("an answer decides about a step", () => {
    expect(decided(step({ requires_confirmation: true }), { accepted: false, note: "No" })).toEqual({
      step_requirements: [{ step_id: "s1", confirmed: false, rejection_feedback: "No" }]
    })
    expect(decided(step({ requires_user_input: true }), { values: { topic: "cats" } })).toEqual({
      step_requirements: [{ step_id: "s1", confirmed: true, user_input: { topic: "cats" } }]
    })
    expect(decided(step({ requires_route_selection: true, available_choices: ["a", "b"] }), { choices: ["b"] }))
      .toEqual({
        step_requirements: [{ step_id: "s1", selected_choices: ["b"] }]
      })
    expect(decided(step({ requires_output_review: true }), { accepted: true, output: "Better" })).toEqual({
      step_requirements: [{ step_id: "s1", confirmed: true, edited_output: "Better" }]
    })
    expect(decided({ error_requirements: [failed] }, { decision: "retry" })).toEqual({
      error_requirements: [{ step_id: "s1", decision: "retry" }]
    })
  })

  it("an answer is passed to the executor of a step", () => {
    const waiting = step({ requires_executor_input: true, executor_requirements: [confirmation] })
    expect(decided(waiting, { accepted: true })).toEqual({
      step_requirements: [{ step_id: "s1", executor_requirements: [{ id: "1", confirmed: true }] }]
    })
  })

  it("an answer is malformed without the field that the question needs", () => {
    const question = only({ requirements: [confirmation] })
    expect(Result.isFailure(Answer.fromJson(question, { accepted: true, editedArgs: [] }))).toBe(true)
    for (const payload of [{ value: 3 }, "yes", null]) {
      expect(Result.isFailure(Answer.fromJson(only(step({ requires_route_selection: true })), payload))).toBe(
        payload !== "yes"
      )
    }
  })

  it("an answer that neither accepts nor rejects a confirmation is malformed, and says what is needed", () => {
    const confirming = [
      only({ requirements: [confirmation] }),
      only(step({ requires_confirmation: true })),
      only(step({ requires_output_review: true, step_output: "Draft" }))
    ]
    for (const question of confirming) {
      const both = { accepted: true, approved: false }
      for (const payload of [{}, "yes", true, { accepted: "yes" }, { approved: 1 }, { ok: true }, null, both]) {
        expect(Answer.fromJson(question, payload)).toMatchObject({
          failure: { reason: "malformed", message: expect.stringContaining("`accepted`, true or false") }
        })
      }
    }
  })
})

describe("a key that the answer to a confirmation does not have", () => {
  it("the answer is malformed, because the key can be a misspelt edit, and the known keys are named", () => {
    const call = only({ requirements: [confirmation] })
    for (const key of ["editedargs", "edited_args", "args", "arguments", "output", "notes"]) {
      expect(Answer.fromJson(call, { accepted: true, [key]: { to: "y" } })).toMatchObject({
        failure: {
          reason: "malformed",
          message: expect.stringContaining(`no \`${key}\`: its keys are \`accepted\`, \`note\`, \`editedArgs\``)
        }
      })
      expect(Answer.fromJson(call, { accepted: false, [key]: { to: "y" } })).toMatchObject({
        failure: {
          reason: "malformed",
          message: expect.stringContaining(`no '${key}': a rejection takes only 'note'`)
        }
      })
    }
    const review = only(step({ requires_output_review: true, step_output: "Draft" }))
    const confirming = only(step({ requires_confirmation: true }))
    for (const payload of [{ approved: true, outputs: "Better" }, { approved: true, editedArgs: {} }]) {
      for (const question of [review, confirming]) {
        expect(Answer.fromJson(question, payload)).toMatchObject({ failure: { reason: "malformed" } })
      }
    }
    expect(Answer.fromJson(confirming, { approved: true, output: "Better" })).toMatchObject({
      failure: { reason: "malformed" }
    })
    expect(Answer.fromJson(call, { approved: true, reason: "Fine", editedArgs: null, output: null })).toEqual(
      Result.succeed({ _tag: "Accepted", note: "Fine" })
    )
  })
})

describe("an answer in text", () => {
  it("the text yes confirms, and another text rejects with itself as the note", () => {
    const question = only({ requirements: [confirmation] })
    for (const text of ["Yes", " yes\n", "YES"]) {
      expect(Answer.fromText(question, text)).toEqual(Result.succeed({ _tag: "Accepted" }))
    }
    for (const text of ["yes, but later", "yes.", "y", "ok", "true", "approve", "confirmed!"]) {
      expect(Answer.fromText(question, text)).toEqual(Result.succeed({ _tag: "Rejected", note: text }))
    }
    expect(Answer.fromText(question, "")).toEqual(Result.succeed({ _tag: "Rejected" }))
  })

  it("a text is the value of the only open field, with its type", () => {
    expect(Answer.fromText(only({ requirements: [input] }), "3")).toEqual(
      Result.succeed({ _tag: "Values", values: { count: 3 } })
    )
  })

  it("a text is malformed for a question with several open fields", () => {
    const fields = ["a", "b"].map((name) => ({ name, field_type: "str", description: null, value: null }))
    const question = only({
      requirements: [requirement("5", { requires_user_input: true, user_input_schema: fields })]
    })
    expect(Result.isFailure(Answer.fromText(question, "3"))).toBe(true)
  })
})

describe("decisions", () => {
  const questions = Questions.of({ requirements: [confirmation, external] })

  it("decisions need an answer to every question", () => {
    const decisions = Decisions.of(questions, new Map([["1", { _tag: "Accepted" }]]))
    expect(decisions).toMatchObject({ failure: { reason: "missing", id: "3" } })
  })

  it("decisions need no answer to a question that an approval decides", () => {
    const approved = Questions.of({
      requirements: [{ ...confirmation, tool_execution: { ...confirmation.tool_execution, approval_type: "required" } }]
    })
    expect(Decisions.of(approved, new Map())).toEqual(Result.succeed({}))
  })

  it("a decision cannot be about a question that the run does not have", () => {
    expect(Decisions.of(questions, new Map([["9", { _tag: "Accepted" }]]))).toMatchObject({
      failure: { reason: "unknown", id: "9" }
    })
  })

  it("a decision cannot be of another kind than the question", () => {
    const answers = new Map<string, Answer.Answer>([["1", { _tag: "ExternalResult", result: "x" }], ["3", {
      _tag: "Rejected"
    }]])
    expect(Decisions.of(questions, answers)).toMatchObject({ failure: { reason: "malformed", id: "1" } })
  })
})

describe("notes of a person", () => {
  const decided = (waiting: Questions.Waiting, payload: Json.Value) => {
    const question = only(waiting)
    const answer = Result.getOrThrow(Answer.fromJson(question, payload))
    return Result.getOrThrow(Decisions.of([question], new Map([[question.id, answer]]))).requirements
  }

  it("a note beside a result or beside values is part of the decision", () => {
    expect(decided({ requirements: [external] }, { result: "done", note: "It is the last one" })).toEqual([
      { id: "3", external_execution_result: "done", confirmation_note: "It is the last one" }
    ])
    expect(decided({ requirements: [input] }, { values: { count: 3 }, note: "At most" })).toMatchObject([
      { id: "2", confirmation_note: "At most" }
    ])
  })

  it("a field with the name note is a result or a value itself", () => {
    const fields = ["note", "reason"].map((name) => ({ name, field_type: "str", description: null, value: null }))
    const waiting = { requirements: [requirement("5", { requires_user_input: true, user_input_schema: fields })] }
    expect(decided({ requirements: [external] }, { note: "done" })).toEqual([
      { id: "3", external_execution_result: "{\"note\":\"done\"}" }
    ])
    expect(decided(waiting, { note: "x", reason: "y", accepted: true })).toEqual([{
      id: "5",
      confirmed: true,
      user_input_schema: [{ name: "note", value: "x" }, { name: "reason", value: "y" }]
    }])
    expect(decided(waiting, { values: { note: "x", reason: "y" }, note: "At most" })).toMatchObject([
      { confirmation_note: "At most" }
    ])
  })
})

describe("a call whose outcome is unknown", () => {
  const question = only({ requirements: [unknown] })
  const read = (payload: Json.Value) => Answer.fromJson(question, payload)

  it("a decision repeats the call with its note, and one that has more is malformed", () => {
    expect(read({ accepted: true, note: "Once" })).toEqual(Result.succeed({ _tag: "Accepted", note: "Once" }))
    for (const more of [{ result: "sent" }, { editedArgs: { to: "y" } }, { note: 5 }]) {
      expect(read({ accepted: true, ...more })).toMatchObject({ failure: { reason: "malformed" } })
    }
    for (const more of [{ result: "sent" }, { limit: 5 }]) {
      expect(read({ approved: false, ...more })).toMatchObject({ failure: { reason: "malformed" } })
    }
  })

  it("another value is its result as a whole", () => {
    expect(read({ result: "sent", error: "late" })).toMatchObject({
      success: { _tag: "ExternalResult", result: "{\"result\":\"sent\",\"error\":\"late\"}" }
    })
    expect(read({ result: "sent", note: "Seen" })).toMatchObject({ success: { result: "sent", note: "Seen" } })
  })
})
