// A team that does a step is killed after every single entry of its workflow's journal, before and after it has waited
// for a person: the workflow ends as it would have, and nothing that was finished is done twice.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Stream } from "effect"
import { session } from "../../../engine/test/run/Engine.ts"
import { comparable, live } from "../../../engine/test/run/Restartable.ts"
import type { AnyWorkflow } from "../../src/workflow/define/Node.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as WorkflowContinuation from "../../src/workflow/pause/WorkflowContinuation.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import { linesOf } from "../agent/Harness.ts"
import { delegate, eventLines } from "../team/Harness.ts"
import { commandOf } from "./Harness.ts"

const run_id = Run.Id.make("34ba501d-7d52-436b-a243-44dd0ac3372c")
const anyone = { owner: Owner.anyone }

/** Says what fits to the last line that it is shown, however often it is asked. */
const speaker = (turnOf: (line: string) => Script.Step) =>
  Effect.map(
    Script.make(Array.from({ length: 20 }, () => (call: Script.Call) => [turnOf(linesOf(call).at(-1) ?? "")])),
    ({ model }) => model
  )

/** A workflow with a step that a team does, in which a team has a member that looks, and pays when it may. */
const scene = Effect.gen(function*() {
  const done: Array<string> = []
  const tool = (name: string, requiresConfirmation: boolean) =>
    Tool.make({
      name,
      effects: "idempotent",
      requiresConfirmation,
      execute: (_, { effectId, sessionState }) => {
        done.push(`${name} ${effectId}`)
        sessionState[name] = true
        return `${name} is done`
      }
    })
  const payer = Agent.make({
    id: "payer",
    tools: [tool("look", false), tool("pay", true)],
    model: yield* speaker((line) => {
      if (line.includes("pay is done")) return text("I paid.")
      return line.includes("look is done") ? toolCall("pay", {}, "pay_1") : toolCall("look", {}, "look_1")
    })
  })
  const office = Team.make({
    id: "office",
    members: [payer],
    model: yield* speaker((line) => line.includes("I paid.") ? text("They paid.") : delegate("payer", "pay", "call_1"))
  })
  const desk = Team.make({
    id: "desk",
    members: [office],
    model: yield* speaker((line) => line.includes("They paid.") ? text("Paid.") : delegate("office", "pay", "call_2"))
  })
  const first = Step.make({ name: "first", effects: "read", run: () => "tea" })
  const last = Step.make({
    name: "last",
    effects: "read",
    run: ({ input }) => `after ${String(input)}`
  })
  return { done, workflow: Workflow.make({ id: "w", steps: [first, desk, last] }) }
})

/** A run until it waits. */
const paused = Effect.fnUntraced(function*(workflow: AnyWorkflow, after?: number) {
  const first = yield* live({ workflows: [workflow], run_id, after })
  yield* first.engine.start(commandOf(workflow, {}))
  yield* first.rest
  const { engine, memory, rest, runs } = yield* live({ workflows: [workflow], run_id, memory: first.memory })
  yield* engine.recover
  yield* rest
  const snapshot = yield* Effect.flatMap(runs.snapshot(session, run_id, anyone), Effect.fromOption)
  assert.strictEqual(snapshot.status, "PAUSED")
  return { memory, snapshot, written: first.written() }
})

/** The answer to what it waits for, and what has come of the run with it. */
const answered = Effect.fnUntraced(function*(
  workflow: AnyWorkflow,
  { memory, snapshot }: Effect.Success<ReturnType<typeof paused>>,
  after?: number
) {
  const requirement = (snapshot.output as WorkflowRun.Output).step_requirements?.at(-1)
  const executor_requirements = (requirement?.executor_requirements ?? []).map((each) => ({
    ...each as object,
    confirmation: true
  }))
  const steps = [{ step_id: requirement?.step_id ?? "", executor_requirements }]
  const entry = yield* Effect.fromResult(
    WorkflowContinuation.entryOf(snapshot.output, { steps, errors: [] }, 0)
  )
  const third = yield* live({ workflows: [workflow], run_id, memory, after })
  yield* third.engine.continue({ snapshot, entry, stream: true, background: false })
  yield* third.rest
  const { engine, find, rest } = yield* live({ workflows: [workflow], run_id, memory })
  yield* engine.recover
  const watched = engine.watch({ run_id, session_id: session, filter: anyone, after: -1 })
  const events = yield* Stream.runCollect((yield* Effect.flatMap(watched, Effect.fromOption)).events)
  const output = (yield* find(run_id)) as WorkflowRun.Output
  yield* rest
  return { events, output, written: third.written() }
})

const expected = Effect.gen(function*() {
  const { done, workflow } = yield* scene
  const before = yield* paused(workflow)
  const after = yield* answered(workflow, before)
  return { ...after, done, before: before.written }
})

type Finished = Effect.Success<typeof expected>

const isSame = (
  whole: Finished,
  { events, output }: Pick<Finished, "events" | "output">,
  done: Finished["done"],
  when: string
) => {
  assert.deepStrictEqual(comparable(output), comparable(whole.output), when)
  // a call that was made, and not yet written down, is made again under the same name
  assert.deepStrictEqual(new Set(done).size, whole.done.length, when)
  const linesOfKind = (kind: RegExp) => eventLines(events).filter((each) => kind.test(each))
  for (const kind of [/RunStarted/, /RunCompleted/, /Paused/, /ExecutorContinued/, /Workflow/, /StepCompleted/]) {
    assert.deepStrictEqual(
      linesOfKind(kind),
      eventLines(whole.events).filter((each) => kind.test(each)),
      `${kind} ${when}`
    )
  }
  assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index), when)
}

describe("a team that does a step", () => {
  it.effect("a team waits for the same decision wherever its process stopped before", () =>
    Effect.gen(function*() {
      const whole = yield* expected
      assert.isAbove(whole.before, 8)
      for (let after = 0; after <= whole.before; after++) {
        const { done, workflow } = yield* scene
        const before = yield* paused(workflow, after)
        isSame(whole, yield* answered(workflow, before), done, `after ${after} entries`)
      }
    }))

  it.effect("a team continues with a decision in the same way wherever its process has stopped since", () =>
    Effect.gen(function*() {
      const whole = yield* expected
      assert.isAbove(whole.written, 6)
      for (let after = 0; after <= whole.written; after++) {
        const { done, workflow } = yield* scene
        const before = yield* paused(workflow)
        isSame(whole, yield* answered(workflow, before, after), done, `after ${after} more entries`)
      }
    }))
})
