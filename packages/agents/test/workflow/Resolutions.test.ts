// The decisions that a paused workflow accepts, and the decisions that it refuses.
import { assert, describe, it } from "@effect/vitest"
import * as Json from "@svc-runtime/domain/Json"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import { Result } from "effect"
import * as ExecutorDecisions from "../../src/workflow/pause/ExecutorDecisions.ts"
import * as WorkflowContinuation from "../../src/workflow/pause/WorkflowContinuation.ts"
import { blank, pausedRun } from "./PausedRun.ts"

const paused = (fields: Partial<StepRequirement.StepRequirement>) => pausedRun(blank, { ...blank, ...fields })

const failed: WorkflowRun.Output = {
  ...paused({}),
  error_requirements: [{
    step_id: "s",
    step_name: "ask",
    step_index: 0,
    error_message: "no",
    error_type: "Error",
    retry_count: 0,
    decision: null
  }]
}

const decide = (run: WorkflowRun.Output, fields: object, now = 0) => {
  const entry = WorkflowContinuation.entryOf(run, { steps: [{ step_id: "s", ...fields }], errors: [] }, now)
  return Result.isSuccess(entry) ? entry.success?.["decision"] : `${entry.failure.reason}: ${entry.failure.message}`
}

const missing = (needed: string) =>
  `unresolved: Cannot continue run - unresolved step requirements: ['ask']. Send ${needed}`
const field = (fields: Partial<StepRequirement.InputField>): StepRequirement.InputField => ({
  name: "n",
  field_type: "int",
  description: null,
  value: null,
  required: true,
  ...fields
})

const timeout_at = "1970-01-01T00:00:01Z"

describe("an answer", () => {
  const confirmation = paused({ requires_confirmation: true })

  it("a decision confirms or rejects", () => {
    assert.deepStrictEqual(decide(confirmation, { confirmed: true }), { confirmed: true })
    assert.deepStrictEqual(decide(confirmation, { confirmed: false, rejection_feedback: "hm" }), {
      confirmed: false,
      rejection_feedback: "hm"
    })
  })

  it.each([[{}], [{ confirmed: null }], [{ user_input: { a: 1 } }]])("a decision is missing in %j", (fields) => {
    assert.strictEqual(
      decide(confirmation, fields),
      missing("`confirmed`, as approve(run) and reject(run) of the clients do")
    )
  })

  it("a decision is missing where nothing is sent", () => {
    const entry = WorkflowContinuation.entryOf(confirmation, { steps: [], errors: [] }, 0)
    assert.strictEqual(Result.isFailure(entry) && entry.failure.reason, "unresolved")
  })

  it("a decision is about the step that the run waits for", () => {
    const entry = WorkflowContinuation.entryOf(confirmation, {
      steps: [{ step_id: "other", confirmed: true }],
      errors: []
    }, 0)
    assert.strictEqual(
      Result.isFailure(entry) && entry.failure.message,
      "the run waits for a decision about step 'ask' (step_id s)"
    )
  })

  it("the last of the sent decisions applies", () => {
    const steps = [{ step_id: "other", confirmed: false }, { step_id: "s", confirmed: true }]
    const entry = WorkflowContinuation.entryOf(confirmation, { steps, errors: [] }, 0)
    assert.deepStrictEqual(Result.getOrThrow(entry)?.["decision"], { confirmed: true })
  })

  it("a decision that rejects an output and edits it contradicts itself", () => {
    const review = paused({ requires_output_review: true })
    assert.strictEqual(
      decide(review, { confirmed: false, edited_output: "x" }),
      "malformed: the step 'ask' is both rejected and given edited output"
    )
    assert.deepStrictEqual(decide(review, { confirmed: true, edited_output: "x" }), {
      confirmed: true,
      edited_output: "x"
    })
  })

  it("after the time limit, what the author has chosen is decided, and another decision is refused", () => {
    const requires = { requires_confirmation: true, timeout_at }
    const [yes, no] = [{ confirmed: true }, { confirmed: false, rejection_feedback: "No." }]
    for (const on_timeout of ["skip", "cancel"] as const) {
      const run = paused({ ...requires, on_reject: on_timeout, on_timeout })
      assert.deepStrictEqual(decide(run, yes, 999), yes)
      assert.match(String(decide(run, yes, 1000)), /was not decided before 1970-01-01T00:00:01Z, and .* now: reject it/)
      assert.deepStrictEqual(decide(run, no, 1000), { ...no, late: on_timeout })
      assert.deepStrictEqual(decide(run, {}, 1000), { late: on_timeout })
    }
    const run = paused({ ...requires, on_timeout: "approve" })
    assert.match(String(decide(run, no, 1000)), /and it is approved now: confirm it, or send no decision on it/)
    assert.deepStrictEqual(decide(run, yes, 1000), yes)
    assert.deepStrictEqual(decide(run, {}, 1000), { late: "approve" })
  })

  it.each<[Partial<StepRequirement.StepRequirement>, string]>([
    [{ on_reject: "cancel", on_timeout: "skip" }, "it is skipped now, where a rejection would cancel the run"],
    [{ on_reject: "retry", on_timeout: "skip" }, "it is skipped now, where a rejection would repeat it"],
    [
      { on_reject: "else", step_type: "Condition", on_timeout: "skip" },
      "it is skipped now, where a rejection would take its other branch"
    ]
  ])("a late rejection that would do something else than what happens now is refused: %j", (fields, now) => {
    const run = paused({ requires_confirmation: true, timeout_at, ...fields })
    const refused = (outcome: string) =>
      `conflict: Step 'ask' was not decided before ${timeout_at}, and ${outcome}: send no decision on it`
    assert.strictEqual(decide(run, { confirmed: false }, 1000), refused(now))
    assert.strictEqual(decide(run, { confirmed: true }, 1000), refused(now.split(",")[0] ?? ""))
    assert.deepStrictEqual<unknown>(decide(run, {}, 1000), { late: fields.on_timeout })
  })

  it.each<[Partial<StepRequirement.StepRequirement>]>([
    [{ on_reject: "else", on_timeout: "skip" }],
    [{ on_reject: "retry", retry_count: 3, on_timeout: "cancel" }],
    [{ on_reject: "skip", on_timeout: "cancel" }],
    [{ on_reject: "else", step_type: "Condition", on_timeout: "cancel" }]
  ])("a late rejection counts if it does what happens now, or if the run is cancelled now: %j", (fields) => {
    const run = paused({ requires_confirmation: true, timeout_at, ...fields })
    const late = { confirmed: false, late: fields.on_timeout }
    assert.deepStrictEqual<unknown>(decide(run, { confirmed: false }, 1000), late)
  })

  it("a late decision is refused before values are asked for", () => {
    for (const on_timeout of ["skip", "cancel"] as const) {
      const run = paused({ requires_user_input: true, user_input_schema: [field({})], timeout_at, on_timeout })
      assert.match(String(decide(run, { confirmed: true }, 1000)), /^conflict: Step 'ask' was not decided before/)
    }
  })

  it("values of a step that is approved after its time limit are given late, and are not left out", () => {
    const asks = { requires_user_input: true, timeout_at, on_timeout: "approve" } as const
    const run = paused({ ...asks, user_input_schema: [field({}), field({ name: "m", required: false })] })
    const values = missing("values of 'n' in `user_input`, as answer(run, values) of the clients does")
    assert.match(String(decide(run, { confirmed: false }, 1000)), /it is approved now: give its values$/)
    for (const none of [{}, { confirmed: true }, { user_input: {} }]) {
      assert.strictEqual(decide(run, none, 1000), values)
    }
    assert.deepStrictEqual(decide(run, { user_input: { n: 1 } }, 1000), { user_input: { n: 1 } })
    const optional = paused({ ...asks, user_input_schema: [field({ required: false })] })
    assert.deepStrictEqual(decide(optional, {}, 1000), { late: "approve" })
  })

  it("the values that a step lacks are data of the refusal", () => {
    const fields = { requires_user_input: true, user_input_schema: [field({}), field({ name: "m" })] }
    const steps = [{ step_id: "s", user_input: { m: 1 } }]
    const entry = WorkflowContinuation.entryOf(paused(fields), { steps, errors: [] }, 0)
    assert.deepStrictEqual(Result.isFailure(entry) && entry.failure.needs, [
      { name: "ask", kind: "values", names: ["n"] }
    ])
  })
})

describe("a step whose agent waits", () => {
  const call = (id: string, fields: object) => ({
    id: `r-${id}`,
    created_at: "now",
    tool_execution: {
      ...ToolExecution.requested({ tool_call_id: id, tool_name: "order", tool_args: null, created_at: 0 }),
      ...fields
    }
  })
  const waiting = (...calls: ReadonlyArray<object>) =>
    paused({ requires_confirmation: true, executor_requirements: calls.map(Json.of), executor_run_id: "inner" })
  const needsOf = (run: WorkflowRun.Output) => {
    const entry = WorkflowContinuation.entryOf(run, { steps: [], errors: [] }, 0)
    return Result.isFailure(entry) ? entry.failure.needs : undefined
  }
  const confirmed = call("c1", { requires_confirmation: true })

  it("a refusal without decisions names each call if one needs more than a confirmation, else the step", () => {
    const printed = call("c2", { external_execution_required: true })
    const again = call("c3", { requires_confirmation: true })
    const ofStep = [{ name: "ask", kind: "confirmation", names: [] }]
    assert.deepStrictEqual<unknown>(needsOf(waiting(confirmed, again)), ofStep)
    assert.deepStrictEqual<unknown>(needsOf(waiting(confirmed, printed)), [
      { name: "order (c1)", kind: "confirmation", names: [] },
      { name: "order (c2)", kind: "result", names: [] }
    ])
  })

  it("the calls of a rejected step, sent as rejected with its note, are the same decision", () => {
    const step = {
      ...blank,
      confirmed: false,
      rejection_feedback: "Too dear.",
      executor_requirements: [confirmed].map(Json.of)
    }
    const sent = (fields: object) => ({ step_id: "s", executor_requirements: [Json.of({ id: "r-c1", ...fields })] })
    const note = { confirmation_note: "Too dear." }
    assert.isFalse(ExecutorDecisions.decides(step, sent({ confirmed: false, ...note })))
    assert.isFalse(ExecutorDecisions.decides(step, sent({ confirmed: false })))
    assert.isFalse(ExecutorDecisions.decides(step, sent({})))
    assert.isTrue(ExecutorDecisions.decides(step, sent({ confirmed: true })))
    assert.isTrue(ExecutorDecisions.decides(step, sent({ confirmed: false, confirmation_note: "Never." })))
  })
})

describe("user input", () => {
  it.each<[Partial<StepRequirement.InputField>, unknown, string | undefined]>([
    [{}, 1, undefined],
    [{}, 1.5, "'n' has to be of type int"],
    [{}, true, "'n' has to be of type int"],
    [{}, "1", "'n' has to be of type int"],
    [{}, undefined, missing("values of 'n' in `user_input`, as answer(run, values) of the clients does")],
    [{ required: false }, undefined, undefined],
    [{ field_type: "float" }, 1.5, undefined],
    [{ field_type: "bool" }, false, undefined],
    [{ field_type: "bool" }, 0, "'n' has to be of type bool"],
    [{ field_type: "str" }, "a", undefined],
    [{ field_type: "str", allowed_values: ["a", "b"] }, "c", `'n' has to be one of "a", "b"`]
  ])("user input has to fit its field: %j gets %j", (fields, value, problem) => {
    const run = paused({ requires_user_input: true, user_input_schema: [field(fields)] })
    const user_input = value === undefined ? {} : { n: value }
    assert.deepStrictEqual<unknown>(
      decide(run, { user_input }),
      problem === undefined ? { user_input } : problem.startsWith("'") ? `malformed: ${problem}` : problem
    )
  })

  it("user input is nothing that was not requested", () => {
    const run = paused({ requires_user_input: true, user_input_schema: [field({})] })
    assert.strictEqual(decide(run, { user_input: { n: 1, m: 2 } }), "malformed: 'm' is not a requested field")
    assert.strictEqual(
      decide(run, {}),
      missing("values of 'n' in `user_input`, as answer(run, values) of the clients does")
    )
  })
})

describe("a choice", () => {
  const one = paused({ requires_route_selection: true, available_choices: ["a", "b"] })
  const several = paused({
    requires_route_selection: true,
    available_choices: ["a", "b"],
    allow_multiple_selections: true
  })

  it("a choice is one of the given ones, or several where that is allowed", () => {
    assert.deepStrictEqual(decide(one, { selected_choices: ["a"] }), { selected_choices: ["a"] })
    assert.deepStrictEqual(decide(several, { selected_choices: ["b", "a"] }), { selected_choices: ["b", "a"] })
    assert.strictEqual(decide(one, { selected_choices: ["a", "b"] }), "malformed: only one choice can be made")
    assert.strictEqual(decide(several, { selected_choices: ["a", "a"] }), "malformed: a choice is made twice")
    assert.strictEqual(decide(one, { selected_choices: ["c"] }), "malformed: there is no choice 'c'")
    assert.strictEqual(
      decide(one, { selected_choices: [] }),
      missing("`selected_choices` among 'a', 'b', as answer(run) of the clients does with choices")
    )
  })
})

describe("after a failure", () => {
  it("a person decides whether a failed step is retried", () => {
    const decided = (errors: ReadonlyArray<StepRequirement.ErrorResolution>) =>
      WorkflowContinuation.entryOf(failed, { steps: [{ step_id: "s", confirmed: true }], errors }, 0)
    assert.deepStrictEqual(Result.getOrThrow(decided([{ step_id: "s", decision: "retry" }]))?.["decision"], {
      error: "retry"
    })
    const open = decided([])
    assert.strictEqual(
      Result.isFailure(open) && open.failure.message,
      "Cannot continue run - unresolved error requirements: ['ask']. Send `decision`, as approve(run) (\"retry\") and " +
        "reject(run) (\"skip\") of the clients do"
    )
  })
})
