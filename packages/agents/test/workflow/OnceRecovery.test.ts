// Steps that must be executed once, after a stop of the service.
import { assert, describe, it } from "@effect/vitest"
import type { ErrorResolution } from "@svc-runtime/domain/StepRequirement"
import { Effect, Fiber, Result } from "effect"
import * as ForEach from "../../src/workflow/define/ForEach.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as WorkflowJournal from "../../src/workflow/execute/WorkflowJournal.ts"
import * as WorkflowContinuation from "../../src/workflow/pause/WorkflowContinuation.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

describe("a step that must not be done twice", () => {
  /** A step that hangs when it is run first, and the ids under which it did anything. */
  const charging = (
    options: {
      readonly onError?: "skip" | "fail" | "pause"
      readonly onUnknownOutcome?: "fail"
      readonly effects?: "read" | "idempotent"
    }
  ) => {
    const ids: Array<string> = []
    const workflow = Workflow.make({
      id: "w",
      steps: [
        Step.make({ name: "before", run: () => "before" }),
        Step.make({
          name: "charge",
          ...options,
          run: ({ effectId }) => ids.push(effectId) === 1 ? Effect.never : `charged ${ids.length}`
        }),
        Step.make({ name: "after", run: ({ input }) => `after ${String(input)}` })
      ]
    })
    return { ids, workflow }
  }

  /** Killed in the middle of it. */
  const killed = Effect.fnUntraced(function*(workflow: Parameters<typeof Harness.run>[0], ids: ReadonlyArray<string>) {
    const entries: Array<WorkflowJournal.Entry> = []
    const running = yield* Effect.forkChild(Harness.run(workflow, { kept: entries }))
    yield* Effect.repeat(Effect.yieldNow, { until: () => ids.length === 1 })
    yield* Fiber.interrupt(running)
    return entries
  })

  it.effect("a step that must be executed once is not repeated after a stop: a person states the outcome", () =>
    Effect.gen(function*() {
      for (const policy of [{}, { onError: "fail" }, { onError: "skip" }, { onError: "pause" }] as const) {
        const { ids, workflow } = charging(policy)
        const entries = yield* killed(workflow, ids)
        const paused = yield* Harness.run(workflow, { entries })
        assert.strictEqual(paused.output.status, "PAUSED")
        assert.deepInclude(paused.output.error_requirements?.[0], {
          step_name: "charge",
          error_type: "outcome_unknown",
          retry_count: 0
        })
        assert.strictEqual(ids.length, 1)
        const skipped = yield* Harness.go(workflow, paused, { error: "skip" })
        assert.match(String(skipped.output.content), /^after Step skipped due to error: The service stopped while/)
        assert.strictEqual(ids.length, 1)
        const again = yield* Harness.go(workflow, paused, { error: "retry" })
        assert.strictEqual(again.output.content, "after charged 2")
        assert.strictEqual(ids.length, 2)
        assert.strictEqual(ids[0], ids[1], "what it does has one name")
      }
    }))

  it.effect("items that were interrupted at once wait together, and one request decides all of them or some", () =>
    Effect.gen(function*() {
      const count = 30
      let ids: Array<string> = []
      const items = Array.from({ length: count }, (_, index) => index)
      const charge = ForEach.make({
        name: "charges",
        concurrency: count,
        items: () => items,
        steps: [Step.make({
          name: "charge",
          run: ({ effectId, item }) => ids.push(effectId) <= count ? Effect.never : `charged ${String(item)}`
        })]
      })
      const workflow = Workflow.make({ id: "w", steps: [charge] })
      const entries: Array<WorkflowJournal.Entry> = []
      const running = yield* Effect.forkChild(Harness.run(workflow, { kept: entries }))
      yield* Effect.repeat(Effect.yieldNow, { until: () => ids.length === count })
      yield* Fiber.interrupt(running)
      const paused = yield* Harness.run(workflow, { entries })
      const open = paused.output.error_requirements ?? []
      assert.strictEqual(new Set(open.map(({ step_id }) => step_id)).size, count)
      const continued = Effect.fnUntraced(function*(ran: Harness.Ran, errors: ReadonlyArray<ErrorResolution>) {
        const entry = Result.getOrThrow(WorkflowContinuation.entryOf(ran.output, { steps: [], errors }, 0))
        const [decided] = yield* Effect.orDie(WorkflowJournal.decode([entry]))
        return yield* Harness.run(workflow, { entries: [...ran.entries, decided!] })
      })
      ids = Array.from({ length: count }, () => "")
      const retried = yield* continued(paused, open.map(({ step_id }) => ({ step_id, decision: "retry" as const })))
      assert.deepStrictEqual(retried.output.content, items.map((item) => `charged ${item}`))
      ids = Array.from({ length: count }, () => "")
      const some = open.slice(0, 20).map(({ step_id }) => ({ step_id, decision: "retry" as const }))
      const rest = yield* continued(paused, some)
      assert.strictEqual(rest.output.status, "PAUSED")
      assert.deepStrictEqual(rest.output.error_requirements, open.slice(20))
      const skipped = open.slice(20).map(({ step_id }) => ({ step_id, decision: "skip" as const }))
      assert.strictEqual((yield* continued(rest, skipped)).output.status, "COMPLETED")
      assert.strictEqual(ids.length, count + 20)
    }))

  it.effect("a step that must be executed once is asked about again when the service stops again", () =>
    Effect.gen(function*() {
      const { ids, workflow } = charging({})
      const paused = yield* Harness.run(workflow, { entries: yield* killed(workflow, ids) })
      ids.length = 0
      const entries: Array<WorkflowJournal.Entry> = []
      const running = yield* Effect.forkChild(Harness.go(workflow, paused, { error: "retry" }, { kept: entries }))
      yield* Effect.repeat(Effect.yieldNow, { until: () => ids.length === 1 })
      yield* Fiber.interrupt(running)
      const second = yield* Harness.run(workflow, { entries })
      assert.deepInclude(second.output.error_requirements?.[0], { error_type: "outcome_unknown", retry_count: 1 })
    }))

  it.effect("a step with an unknown outcome ends the workflow where its author says so", () =>
    Effect.gen(function*() {
      const { ids, workflow } = charging({ onUnknownOutcome: "fail" })
      const { output } = yield* Harness.run(workflow, { entries: yield* killed(workflow, ids) })
      assert.deepInclude(output, {
        status: "ERROR",
        content: "The service stopped while it ran step 'charge': it is not known whether that was done"
      })
      assert.strictEqual(ids.length, 1)
    }))

  for (const effects of ["idempotent", "read"] as const) {
    it.effect(`a step is repeated under its effectId where its author says effects: "${effects}"`, () =>
      Effect.gen(function*() {
        const { ids, workflow } = charging({ effects })
        const { output } = yield* Harness.run(workflow, { entries: yield* killed(workflow, ids) })
        assert.deepInclude(output, { status: "COMPLETED", content: "after charged 2" })
        assert.strictEqual(ids[0], ids[1])
      }))
  }

  it.effect("a bare function is executed once, and the one function of a workflow as well", () =>
    Effect.gen(function*() {
      const ids: Array<string> = []
      const charge = ({ effectId }: { readonly effectId: string }) =>
        ids.push(effectId) === 1 ? Effect.never : Effect.succeed(`charged ${ids.length}`)
      for (const workflow of [Workflow.make({ id: "w", steps: [charge] }), Workflow.make({ id: "w", run: charge })]) {
        ids.length = 0
        const paused = yield* Harness.run(workflow, { entries: yield* killed(workflow, ids) })
        assert.strictEqual(paused.output.status, "PAUSED")
        assert.deepInclude(paused.output.error_requirements?.[0], { error_type: "outcome_unknown" })
        assert.strictEqual(ids.length, 1)
        const skipped = yield* Harness.go(workflow, paused, { error: "skip" })
        assert.match(String(skipped.output.content), /^Step skipped due to error: The service stopped while/)
        assert.strictEqual(ids.length, 1)
        const again = yield* Harness.go(workflow, paused, { error: "retry" })
        assert.deepInclude(again.output, { status: "COMPLETED", content: "charged 2" })
        assert.strictEqual(ids[0], ids[1], "what it does has one name")
      }
    }))

  it.effect("a step that must be executed once has its own failures retried, and an id of its own in each round of a loop", () =>
    Effect.gen(function*() {
      const ids: Array<string> = []
      const workflow = Workflow.make({
        id: "w",
        steps: [Loop.make({
          name: "rounds",
          maxIterations: 2,
          steps: [Step.make({
            name: "charge",
            effects: "once",
            retries: 1,
            delayBetweenRetries: 0,
            run: ({ effectId }) => {
              if (ids.push(effectId) % 2 === 1) throw new Error("not yet")
              return "charged"
            }
          })]
        })]
      })
      const { output } = yield* Harness.run(workflow)
      assert.strictEqual(output.status, "COMPLETED")
      assert.deepStrictEqual([ids[0] === ids[1], ids[2] === ids[3], ids[1] === ids[2]], [true, true, false])
    }))
})
