// Runs of workflows that wait for several things at the same time: a time, an event, and a person.
import { assert, describe, it } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as RunWakes from "@svc-runtime/engine/run/RunWakes"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import type { StepInput } from "../../src/workflow/define/StepInput.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import {
  answered,
  begun,
  type Paused,
  planOf,
  run_id,
  type Scene,
  speaker,
  wakeOf,
  woken
} from "../agent/DurableFunctions.ts"
import { commandOf } from "./Harness.ts"

Tier.oneIn(3)

const scene = (steps: ReadonlyArray<unknown>): Scene => {
  const workflow = Workflow.make({ id: "flow", steps: steps as never })
  return { parts: { workflows: [workflow] }, command: { ...commandOf(workflow, {}), run_id } }
}

const step = (name: string, run: (input: StepInput) => unknown) => Step.make({ name, run: run as never } as never)

const outputOf = ({ snapshot }: Pick<Paused, "snapshot">) => snapshot.output as WorkflowRun.Output

const requirementsOf = (paused: Pick<Paused, "snapshot">) => outputOf(paused).step_requirements ?? []

const lastOf = (paused: Pick<Paused, "snapshot">) => {
  const requirement = requirementsOf(paused).at(-1)
  if (requirement === undefined) throw new Error("The run waits for nothing")
  return requirement
}

const valuesFor = (paused: Pick<Paused, "snapshot">, answer: string) => {
  const { id, step_id } = lastOf(paused)
  return [{ id, step_id, user_input: { answer } }]
}

/** The event as clients send it: with the requirement that waits for it. */
const eventFor = (paused: Pick<Paused, "snapshot">, name: string, value: string) => {
  const requirement = requirementsOf(paused).find(({ step_name }) => step_name === name)
  const [call] = requirement?.executor_requirements ?? []
  const executor_requirements = [{ ...call as object, external_execution_result: value }]
  return [{ id: requirement?.id, step_id: requirement?.step_id, executor_requirements }]
}

describe("a time beside other waits of a workflow", () => {
  it.effect.each<readonly [string, (input: StepInput) => Promise<unknown>]>([
    ["a question", ({ pause }) => pause({ question: "Well?" })],
    ["an event", ({ waitFor }) => waitFor("go")]
  ])("%s that loses a race against a time does not hold the run", ([, wait]) =>
    Effect.gen(function*() {
      const raced = scene([
        step("race", (input) => Promise.race([wait(input), input.sleep("1 hour").then(() => "too late")]))
      ])
      const paused = yield* begun(raced)
      assert.deepStrictEqual([...RunWakes.timesOf(outputOf(paused))], [3600])
      assert.isTrue(Option.isNone(yield* wakeOf(paused)))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* woken(raced, paused)).snapshot.output.content, "too late")
    }))

  it.effect("a question is shown although its function sleeps first", () =>
    Effect.gen(function*() {
      const raced = scene([
        step("race", ({ pause, sleep }) => Promise.race([sleep("1 hour"), pause({ question: "Well?" })]))
      ])
      const paused = yield* begun(raced)
      assert.strictEqual(lastOf(paused).user_input_message, "Well?")
      assert.deepStrictEqual([...RunWakes.timesOf(outputOf(paused))], [3600])
      const ended = yield* answered(raced, paused, valuesFor(paused, "yes"))
      assert.strictEqual(ended.snapshot.output.content, "yes")
    }))

  it.effect("a person who answers before the time wins the race", () =>
    Effect.gen(function*() {
      const raced = scene([
        step("race", ({ pause, sleep }) => Promise.race([pause({ question: "Well?" }), sleep("1 hour")]))
      ])
      const paused = yield* begun(raced)
      assert.strictEqual(lastOf(paused).user_input_message, "Well?")
      const ended = yield* answered(raced, paused, valuesFor(paused, "yes"))
      assert.strictEqual(ended.snapshot.output.content, "yes")
      assert.notProperty(ended.snapshot.output, "wake_at")
    }))

  it.effect("a parallel step that sleeps continues while another one waits for a person", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const flow = scene([Parallel.make({
        name: "both",
        steps: [
          step("ask", ({ pause }) => pause({ question: "Well?" })),
          step("rest", async ({ sleep }) => {
            await sleep("1 hour")
            seen.push("rested")
          })
        ]
      })])
      const paused = yield* begun(flow)
      yield* TestClock.adjust("1 hour")
      const still = yield* woken(flow, paused)
      assert.deepStrictEqual(seen, ["rested"])
      assert.strictEqual(lastOf(still).user_input_message, "Well?")
      assert.deepStrictEqual([...RunWakes.timesOf(outputOf(still))], [])
      assert.strictEqual((yield* answered(flow, still, valuesFor(still, "yes"))).snapshot.status, "COMPLETED")
    }))
})

describe("the time limit of an inner run", () => {
  const done: Array<string> = []
  const limited = Effect.fnUntraced(function*() {
    done.length = 0
    const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => void done.push("paid") })
    const { model } = yield* speaker(toolCall("pay", {}), text("Paid."))
    const payer = Agent.make({ id: "payer", model, tools: [pay] })
    return scene([
      step("limited", async ({ pause, run }) => {
        try {
          return (await run(payer, "Pay", { timeout: "1 hour" })).content
        } catch (error) {
          return `${(error as Error).message}; ${await pause({ question: "And now?" })}`
        }
      })
    ])
  })

  it.effect("a run that waits for a person ends, and the next question comes", () =>
    Effect.gen(function*() {
      const flow = yield* limited()
      const paused = yield* begun(flow)
      assert.deepStrictEqual([...RunWakes.timesOf(outputOf(paused))], [3600])
      yield* TestClock.adjust("1 hour")
      const next = yield* woken(flow, paused)
      assert.strictEqual(lastOf(next).user_input_message, "And now?")
      const ended = yield* answered(flow, next, valuesFor(next, "continue"))
      assert.strictEqual(ended.snapshot.output.content, "Step 'limited': a run did not finish in time; continue")
      assert.deepStrictEqual(AnyRun.executorRunsOf(outputOf(ended)).map(({ status }) => status), ["CANCELLED"])
      assert.deepStrictEqual(done, [])
    }))

  it.effect("a decision that comes after it executes nothing", () =>
    Effect.gen(function*() {
      const flow = yield* limited()
      const paused = yield* begun(flow)
      yield* TestClock.adjust("2 hours")
      const { executor_requirements = [], id, step_id } = lastOf(paused)
      const calls = executor_requirements.map((each) => ({ ...each as object, confirmation: true }))
      const next = yield* answered(flow, paused, [{ id, step_id, executor_requirements: calls }])
      assert.strictEqual(lastOf(next).user_input_message, "And now?")
      assert.deepStrictEqual(done, [])
    }))
})

describe("an event for one of several steps that wait", () => {
  const both = () =>
    scene([Parallel.make({
      name: "both",
      steps: [
        step("other", ({ waitFor }) => waitFor("other", { timeout: "1 hour" }).then(() => "none")),
        step("ask", ({ pause }) => pause({ question: "Well?" })),
        step("paid", async ({ waitFor }) => String(await waitFor("paid")))
      ]
    })])

  it.effect("an event is taken while a question of another step is open", () =>
    Effect.gen(function*() {
      const flow = both()
      const paused = yield* begun(flow)
      const still = yield* answered(flow, paused, eventFor(paused, "paid", "5"))
      assert.strictEqual(still.snapshot.status, "PAUSED")
      assert.strictEqual(lastOf(still).user_input_message, "Well?")
      yield* TestClock.adjust("1 hour")
      const late = yield* woken(flow, still)
      const ended = yield* answered(flow, late, valuesFor(late, "yes"))
      const contents = outputOf(ended).step_results?.[0]?.steps?.map(({ content }) => content)
      assert.deepStrictEqual(contents, ["none", "yes", "5"])
    }))

  it.effect.each<readonly [string, (input: StepInput) => ReadonlyArray<Promise<unknown>>]>([
    ["after it", ({ pause, waitFor }) => [pause({ question: "Well?" }), waitFor("paid")]],
    ["before it", ({ pause, waitFor }) => [waitFor("paid"), pause({ question: "Well?" })]]
  ])("an event is taken while the same function asks a person %s", ([, calls]) =>
    Effect.gen(function*() {
      const flow = scene([
        step("work", async (input) => (await Promise.all(calls(input))).map(String).toSorted().join())
      ])
      const eventOf = (paused: Pick<Paused, "snapshot">) =>
        requirementsOf(paused).find(({ executor_requirements }) => executor_requirements !== undefined)
      const sent = (paused: Pick<Paused, "snapshot">) => {
        const { executor_requirements: [call] = [], id, step_id } = eventOf(paused) ?? {}
        return [{ id, step_id, executor_requirements: [{ ...call as object, external_execution_result: "5" }] }]
      }
      const paused = yield* begun(flow)
      const paid = yield* answered(flow, paused, sent(paused))
      assert.strictEqual(lastOf(paid).user_input_message, "Well?")
      const again = planOf(paid, sent(paused)) as Effect.Effect<unknown, ContinueRejected>
      assert.strictEqual((yield* Effect.flip(again)).reason, "conflict")
      assert.strictEqual((yield* answered(flow, paid, valuesFor(paid, "yes"))).snapshot.output.content, "5,yes")

      const question = requirementsOf(paused).find(({ user_input_message }) => user_input_message === "Well?")
      const answer = { id: question?.id, step_id: question?.step_id, user_input: { answer: "yes" } }
      const other = yield* begun(flow)
      const second = yield* answered(flow, other, [answer])
      assert.strictEqual((yield* answered(flow, second, sent(second))).snapshot.output.content, "5,yes")
    }))

  it.effect("an event is refused when it comes again", () =>
    Effect.gen(function*() {
      const flow = both()
      const paused = yield* begun(flow)
      const still = yield* answered(flow, paused, eventFor(paused, "paid", "5"))
      const again = planOf(still, eventFor(paused, "paid", "5")) as Effect.Effect<unknown, ContinueRejected>
      assert.strictEqual((yield* Effect.flip(again)).reason, "conflict")
    }))
})
