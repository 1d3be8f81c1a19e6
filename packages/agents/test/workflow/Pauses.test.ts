// Where a workflow waits for a person, and what comes of what they say.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { z } from "zod"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import type { AnyWorkflow } from "../../src/workflow/define/Node.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Router from "../../src/workflow/define/Router.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import type * as Pause from "../../src/workflow/pause/Pause.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

const first = Step.make({ name: "first", run: () => "first" })
const last = Step.make({ name: "last", run: ({ input }) => `after ${String(input)}` })
const flow = (step: Parameters<typeof Steps.make>[0]["steps"][number]): AnyWorkflow =>
  Workflow.make({ id: "w", steps: [first, step as () => string, last] })

describe("a confirmation", () => {
  const confirmed = (options: NonNullable<Step.Settings<string, "skip">["confirmation"]>) =>
    flow(
      Step.make({ name: "asked", confirmation: options, run: ({ rejectionFeedback }) => rejectionFeedback ?? "none" })
    )

  it.effect("a confirmation is requested before the step is executed, and the requirement has everything needed for a decision", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_795_223_413_000)
      const { kinds, endEvent: last, output } = yield* Harness.run(confirmed({ message: "Sure?", timeout: "1 minute" }))
      assert.deepStrictEqual(kinds.slice(4), ["StepPaused", "WorkflowPaused"])
      assert.deepStrictEqual([output.status, output.paused_step_name, output.paused_step_index, output.pause_kind], [
        "PAUSED",
        "asked",
        1,
        "step"
      ])
      const { step_id: _, ...requirement } = output.step_requirements?.[0] ?? { step_id: "" }
      assert.deepStrictEqual<unknown>(requirement, {
        id: "1?0",
        resolved: false,
        step_name: "asked",
        step_index: 1,
        step_type: "Step",
        requires_confirmation: true,
        confirmation_message: "Sure?",
        confirmed: null,
        on_reject: "skip",
        requires_user_input: false,
        user_input_message: null,
        user_input: null,
        requires_route_selection: false,
        available_choices: null,
        allow_multiple_selections: false,
        selected_choices: null,
        requires_output_review: false,
        output_review_message: null,
        is_post_execution: false,
        rejection_feedback: null,
        retry_count: 0,
        max_retries: 3,
        timeout_at: "2026-11-21T01:11:13Z",
        on_timeout: "cancel",
        step_input: { input: "go", previous_step_content: "first" }
      })
      assert.deepStrictEqual((last as { step_requirements?: unknown }).step_requirements, output.step_requirements)
    }))

  it.effect("an input of more than 16,384 characters is left out of the requirement, because every continue sends it back", () =>
    Effect.gen(function*() {
      const large = Step.make({ name: "large", run: () => "a".repeat(20_000) })
      const approval = Step.make({ name: "approval", confirmation: true, run: () => "done" })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [large, approval] }))
      assert.notProperty(output.step_requirements?.[0], "step_input")
    }))

  it.effect("a confirmed step is executed, without starting the workflow again", () =>
    Effect.gen(function*() {
      const workflow = confirmed(true)
      const { kinds, output } = yield* Harness.go(workflow, yield* Harness.run(workflow), { confirmed: true })
      assert.deepStrictEqual(kinds.slice(0, 4), ["StepContinued", "StepStarted", "StepOutput", "StepCompleted"])
      assert.strictEqual(output.status, "COMPLETED")
      assert.isTrue(output.step_requirements?.[0]?.confirmed)
      assert.deepStrictEqual(Harness.namesOf(output.step_results), ["first", "asked", "last"])
    }))

  it.effect("a rejected step is skipped, and the next one gets the output of the step before it", () =>
    Effect.gen(function*() {
      const workflow = confirmed(true)
      const { kinds, output } = yield* Harness.go(workflow, yield* Harness.run(workflow), { confirmed: false })
      assert.deepStrictEqual(kinds, ["StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"])
      assert.deepStrictEqual(Harness.namesOf(output.step_results), ["first", "last"])
      assert.strictEqual(output.content, "after first")
    }))

  it.effect("a rejection cancels the workflow where its author says so, with one event", () =>
    Effect.gen(function*() {
      const workflow = confirmed({ onReject: "cancel" })
      const { kinds, output } = yield* Harness.go(workflow, yield* Harness.run(workflow), { confirmed: false })
      assert.deepStrictEqual(kinds, ["WorkflowCancelled"])
      assert.deepStrictEqual([output.status, output.content], [
        "CANCELLED",
        "Workflow cancelled: Step 'asked' was rejected"
      ])
    }))

  it.effect("a rejection for another round is asked again, up to a limit", () =>
    Effect.gen(function*() {
      const workflow = confirmed({ onReject: "retry", maxRetries: 1 })
      const paused = yield* Harness.run(workflow)
      const again = yield* Harness.go(workflow, paused, { confirmed: false, rejection_feedback: "hm" })
      assert.deepStrictEqual(again.output.step_requirements?.map(({ retry_count }) => retry_count), [0, 1])
      assert.strictEqual(again.output.step_requirements?.[1]?.rejection_feedback, "hm")
      const given = yield* Harness.go(workflow, again, { confirmed: true })
      assert.strictEqual(given.output.content, "after hm")
      const { output } = yield* Harness.go(workflow, again, { confirmed: false })
      assert.deepStrictEqual([output.status, output.content], ["CANCELLED", "Max retries (1) reached for step 'asked'"])
    }))

  it.effect.each([["approve", "COMPLETED", 3], ["skip", "COMPLETED", 2], ["cancel", "CANCELLED", 1]] as const)(
    "an expired confirmation is decided as its author says: %s",
    ([action, status, steps]) =>
      Effect.gen(function*() {
        const workflow = confirmed({ timeout: "1 minute", onTimeout: action })
        const paused = yield* Harness.run(workflow)
        const { output } = yield* Harness.go(workflow, paused, { confirmed: action === "skip", late: action })
        assert.deepStrictEqual([output.status, output.step_results?.length], [status, steps])
      })
  )

  it.effect("the rejection of a condition executes its other branch", () =>
    Effect.gen(function*() {
      const workflow = flow(Condition.make({
        name: "maybe",
        confirmation: { onReject: "else" },
        evaluator: true,
        steps: [Step.make({ name: "yes", run: () => "yes" })],
        elseSteps: [Step.make({ name: "no", run: () => "no" })]
      }) as never)
      const { output } = yield* Harness.go(workflow, yield* Harness.run(workflow), { confirmed: false })
      assert.strictEqual(output.content, "after no")
    }))

  it.effect("a confirmation is requested inside of other steps, and none of the steps around it is done twice", () =>
    Effect.gen(function*() {
      let done = 0
      const confirmedStep = Step.make({ name: "asked", confirmation: true, run: () => "asked" })
      const other = Step.make({ name: "other", run: () => ++done })
      const row = Steps.make({ name: "row", steps: [other, confirmedStep] })
      const workflow = flow(Loop.make({ name: "rounds", maxIterations: 2, steps: [row] }) as never)
      const one = yield* Harness.run(workflow)
      assert.deepStrictEqual(one.output.paused_step_index, [1, 0, 1])
      const two = yield* Harness.go(workflow, one, { confirmed: true })
      assert.strictEqual(two.output.status, "PAUSED")
      assert.deepStrictEqual(two.kinds.filter((kind) => kind.startsWith("Loop")), [
        "LoopIterationCompleted",
        "LoopIterationStarted"
      ])
      const three = yield* Harness.go(workflow, two, { confirmed: true })
      assert.deepStrictEqual([three.output.status, done], ["COMPLETED", 2])
    }))

  it.effect("a confirmation of one branch lets the others finish, and several are requested one after the other", () =>
    Effect.gen(function*() {
      let done = 0
      const confirmedStep = (name: string) => Step.make({ name, confirmation: true, run: () => name })
      const other = Step.make({ name: "other", run: () => ++done })
      const workflow = flow(
        Parallel.make({ name: "all", steps: [confirmedStep("a"), other, confirmedStep("b")] }) as never
      )
      const one = yield* Harness.run(workflow)
      assert.deepStrictEqual([one.output.paused_step_name, done], ["a", 1])
      const two = yield* Harness.run(workflow, { entries: Harness.decided(one, { confirmed: true }, "a") })
      assert.deepStrictEqual([two.output.status, two.output.paused_step_name], ["PAUSED", "b"])
      const three = yield* Harness.run(workflow, { entries: Harness.decided(two, { confirmed: true }, "b") })
      assert.deepStrictEqual([three.output.status, done], ["COMPLETED", 1])
      assert.deepStrictEqual(Harness.namesOf(three.output.step_results?.[1]?.steps), ["a", "other", "b"])
    }))
})

describe("what a person knows", () => {
  it.effect("user input is requested with its form, and the step gets it", () =>
    Effect.gen(function*() {
      const workflow = flow(Step.make({
        name: "asked",
        userInput: { message: "Who?", schema: z.object({ name: z.enum(["Ann"]) }) },
        run: ({ userInput }) => userInput.name
      }))
      const paused = yield* Harness.run(workflow)
      const event = paused.events.find(({ event }) => event === "StepPaused")
      assert.deepStrictEqual([event?.["requires_user_input"], event?.["user_input_message"]], [true, "Who?"])
      assert.deepStrictEqual<unknown>(paused.output.step_requirements?.[0]?.user_input_schema, [
        { name: "name", field_type: "str", description: null, value: null, required: true, allowed_values: ["Ann"] }
      ])
      const { output } = yield* Harness.go(workflow, paused, { user_input: { name: "Ann" } })
      assert.strictEqual(output.content, "after Ann")
    }))
})

describe("a way that a person chooses", () => {
  it.effect("a choice is requested, and that branch is executed", () =>
    Effect.gen(function*() {
      const choice = (name: string) => Step.make({ name, run: () => name })
      const workflow = flow(
        Router.make({
          name: "pick",
          selection: { multiple: true },
          choices: [choice("a"), choice("b"), choice("c")]
        }) as never
      )
      const paused = yield* Harness.run(workflow)
      const event = paused.events.find(({ event }) => event === "RouterPaused")
      assert.deepStrictEqual([event?.["available_choices"], event?.["allow_multiple_selections"]], [
        ["a", "b", "c"],
        true
      ])
      const { kinds, output } = yield* Harness.go(workflow, paused, { selected_choices: ["c", "a"] })
      assert.strictEqual(kinds[0], "RouterExecutionStarted")
      assert.deepStrictEqual(Harness.namesOf(output.step_results?.[1]?.steps), ["c", "a"])
    }))
})

describe("a review of what a step gave", () => {
  const reviewed = (options: NonNullable<Step.Settings<string, "skip">["outputReview"]>) => {
    let done = 0
    const workflow = flow(Step.make({
      name: "draft",
      outputReview: options,
      run: ({ rejectionFeedback, sessionState }) => {
        done++
        sessionState["drafts"] = done
        return `draft ${done} ${rejectionFeedback ?? "-"}`
      }
    }))
    return { workflow, done: () => done }
  }

  it.effect("a review comes after the step, and an accepted output is kept as it is", () =>
    Effect.gen(function*() {
      const { done, workflow } = reviewed({ message: "Good?" })
      const paused = yield* Harness.run(workflow)
      assert.deepStrictEqual(paused.kinds.slice(4), [
        "StepStarted",
        "StepOutput",
        "StepCompleted",
        "StepOutputReview",
        "WorkflowPaused"
      ])
      const [requirement] = paused.output.step_requirements ?? []
      assert.deepStrictEqual([requirement?.is_post_execution, requirement?.step_output], [true, "draft 1 -"])
      assert.isUndefined(paused.stateChanges)
      const { kinds, output, stateChanges } = yield* Harness.go(workflow, paused, { confirmed: true })
      assert.strictEqual(kinds[0], "StepStarted")
      assert.deepStrictEqual([output.content, done(), stateChanges?.set], ["after draft 1 -", 1, { drafts: 1 }])
    }))

  it.effect("a review can replace the output by another text", () =>
    Effect.gen(function*() {
      const { workflow } = reviewed(true)
      const paused = yield* Harness.run(workflow)
      const { output } = yield* Harness.go(workflow, paused, { confirmed: true, edited_output: "better" })
      assert.strictEqual(output.content, "after better")
    }))

  it.effect("a review can have the step executed again, and reviews that output as well", () =>
    Effect.gen(function*() {
      const { done, workflow } = reviewed({ onReject: "retry" })
      const one = yield* Harness.run(workflow)
      const two = yield* Harness.go(workflow, one, { confirmed: false, rejection_feedback: "shorter" })
      const output = "draft 2 shorter"
      assert.deepStrictEqual(
        two.output.step_requirements?.map(({ retry_count, step_output }) => [retry_count, step_output]),
        [
          [0, "draft 1 -"],
          [1, output]
        ]
      )
      const three = yield* Harness.go(workflow, two, { confirmed: true })
      assert.deepStrictEqual([three.output.content, done()], [`after ${output}`, 2])
    }))

  it.effect("a review can discard the output", () =>
    Effect.gen(function*() {
      const { workflow } = reviewed({ onReject: "skip" })
      const { output, stateChanges } = yield* Harness.go(workflow, yield* Harness.run(workflow), { confirmed: false })
      assert.deepStrictEqual([output.content, stateChanges], ["after first", undefined])
    }))
})

describe("a review of a round", () => {
  it.effect("a review with options starts another round when the person says no, unless onReject says something else", () =>
    Effect.gen(function*() {
      const again = Step.make({ name: "again", run: ({ iteration }) => `round ${iteration}` })
      const contentAfterNo = Effect.fnUntraced(function*(iterationReview: Pause.Options) {
        const workflow = flow(Loop.make({ name: "rounds", maxIterations: 2, iterationReview, steps: [again] }) as never)
        const no = yield* Harness.go(workflow, yield* Harness.run(workflow), { confirmed: false })
        return no.output.content
      })
      assert.strictEqual(yield* contentAfterNo({ message: "Good?" }), "after round 2")
      assert.strictEqual(yield* contentAfterNo({ message: "Good?", onReject: "skip" }), "after round 1")
    }))

  it.effect("a review of a round ends the loop, or starts another round", () =>
    Effect.gen(function*() {
      const again = Step.make({ name: "again", run: ({ iteration }) => `round ${iteration}` })
      const workflow = flow(
        Loop.make({ name: "rounds", maxIterations: 3, iterationReview: true, steps: [again] }) as never
      )
      const one = yield* Harness.run(workflow)
      assert.deepStrictEqual(one.kinds.slice(-3), ["LoopIterationCompleted", "StepOutputReview", "WorkflowPaused"])
      const [requirement] = one.output.step_requirements ?? []
      assert.deepStrictEqual([requirement?.step_type, requirement?.step_output], ["Loop", "round 1"])
      const two = yield* Harness.go(workflow, one, { confirmed: false })
      assert.deepStrictEqual(two.kinds.slice(0, 2), ["LoopIterationStarted", "StepStarted"])
      const enough = yield* Harness.go(workflow, two, { confirmed: true })
      assert.strictEqual(enough.output.content, "after round 2")
      // there is nothing to decide after the last one
      const all = yield* Harness.go(workflow, two, { confirmed: false })
      assert.strictEqual(all.output.content, "after round 3")
    }))
})
