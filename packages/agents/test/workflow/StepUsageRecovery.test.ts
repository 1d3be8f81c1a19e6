// The requests of steps count once wherever the service stops, and however the workflow ends after that.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { session } from "../../../engine/test/run/Engine.ts"
import { live } from "../../../engine/test/run/Restartable.ts"
import type { AnyWorkflow } from "../../src/workflow/define/Node.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import { delegate, teamOf } from "../team/Harness.ts"
import { commandOf } from "./Harness.ts"
import { answered, down, look, proceed, runsOf, sessionTokens, tokens, tokensOf, used, worker } from "./Workers.ts"

const run_id = Run.Id.make("34ba501d-7d52-436b-a243-44dd0ac3372c")

/** A run that stops after some entries, and the engine that takes it over. */
const stopped = Effect.fnUntraced(function*(workflow: AnyWorkflow, after: number) {
  const first = yield* live({ workflows: [workflow], run_id, after })
  yield* first.engine.start(commandOf(workflow, {}))
  yield* first.rest
  return { ...yield* live({ workflows: [workflow], run_id, memory: first.memory }), written: first.written() }
})

/** Resumes it until it ends or pauses. */
const resumed = Effect.fnUntraced(function*(service: Effect.Success<ReturnType<typeof stopped>>) {
  yield* service.engine.recover
  yield* service.engine.output({ run_id, session_id: session, filter: { owner: Owner.anyone } })
  const output = (yield* service.find(run_id)) as WorkflowRun.Output
  return { output, session: yield* sessionTokens(service) }
})

describe("a workflow whose service stops", () => {
  /** A step whose first two attempts fail, in a nested workflow, beside a team. */
  const scene = Effect.gen(function*() {
    const { agent, requests } = yield* worker("bad", (tries) => tries > 2 ? answered : down)
    const bad = Step.make({ name: "bad", agent, retries: 2, delayBetweenRetries: 0 })
    const inner = Workflow.make({ id: "inner", steps: [bad] })
    const member = yield* worker("member", () => answered)
    const leader = yield* teamOf(
      [member.agent],
      Array.from({ length: 10 }, (_, index) => index === 0 ? [delegate("member", "look"), used] : answered)
    )
    const team = Step.make({ name: "team", team: leader.team })
    const made = Effect.map(
      Effect.all([requests, member.requests, leader.script.calls]),
      ([bad, member, { length }]) => bad + member + length
    )
    return { made, workflow: Workflow.make({ id: "w", steps: [inner, team] }) }
  })

  it.live("each request whose answer was stored counts once, wherever the service stopped", () =>
    Effect.gen(function*() {
      const whole = yield* scene
      const { find, written } = yield* stopped(whole.workflow, Infinity)
      const output = (yield* find(run_id)) as WorkflowRun.Output
      assert.deepStrictEqual([output.status, tokensOf(output)], ["COMPLETED", 8 * tokens])
      assert.isAbove(written, 15)
      for (let after = 0; after <= written; after++) {
        const { made, workflow } = yield* scene
        const service = yield* stopped(workflow, after)
        const { output, session } = yield* resumed(service)
        assert.strictEqual(output.status, "COMPLETED", `after ${after} entries`)
        // two answers are failures, which have no usage
        const counted = tokensOf(output) / tokens
        const least = (yield* made) - 3
        assert.isAtLeast(counted, least, `after ${after} entries`)
        assert.isAtMost(counted, least + 1, `after ${after} entries`)
        assert.strictEqual(session, counted * tokens)
      }
    }))

  it.live("an attempt that a person repeats continues where its service stopped", () =>
    Effect.gen(function*() {
      const { agent, requests } = yield* worker("bad", (tries) => tries > 1 ? answered : down)
      const workflow = Workflow.make({ id: "w", steps: [Step.make({ name: "bad", agent, onError: "pause" })] })
      const first = yield* stopped(workflow, Infinity)
      const paused = (yield* first.find(run_id)) as WorkflowRun.Output
      assert.strictEqual(paused.status, "PAUSED")
      yield* first.close
      // the start of the second run, and its first request
      const second = yield* live({ workflows: [workflow], run_id, memory: first.memory, after: 2 })
      const ended = yield* Effect.forkChild(proceed(second, paused, { error: "retry" }))
      yield* Effect.repeat(Effect.yieldNow, { until: () => second.written() === 3 })
      yield* second.rest
      ended.interruptUnsafe()
      const third = yield* live({ workflows: [workflow], run_id, memory: first.memory })
      const { output } = yield* resumed({ ...third, written: 0 })
      assert.deepStrictEqual(runsOf(output), [["ERROR", tokens], ["COMPLETED", 2 * tokens]])
      assert.strictEqual(yield* requests, 4)
    }))
})

describe("a workflow that ends without its steps being resumed", () => {
  const cancelled = Effect.fnUntraced(function*(workflow: AnyWorkflow, after: number) {
    const service = yield* stopped(workflow, after)
    yield* service.engine.cancel({ run_id, session_id: session, filter: { owner: Owner.anyone } })
    return yield* resumed(service)
  })

  it.live("stored requests of an agent count when the workflow was cancelled meanwhile", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("slow", () => [Script.hang])
      const workflow = Workflow.make({ id: "w", steps: [Step.make({ name: "slow", agent })] })
      const { output, session } = yield* cancelled(workflow, 2)
      assert.deepStrictEqual([output.status, runsOf(output), session], [
        "CANCELLED",
        [["CANCELLED", tokens]],
        tokens
      ])
      assert.strictEqual(output.step_executor_runs?.[0]?.["agent_id"], "slow")
      assert.strictEqual(output.metrics?.steps["slow"]?.metrics?.total_tokens, tokens)
    }))

  it.live("stored requests of a team and its members count, also in a nested workflow", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("slow", () => [Script.hang])
      const { team } = yield* teamOf([agent], [[delegate("slow", "look"), used]])
      const inner = Workflow.make({ id: "inner", steps: [Step.make({ name: "slow", team })] })
      const { output, session } = yield* cancelled(Workflow.make({ id: "w", steps: [inner] }), 5)
      assert.deepStrictEqual([output.status, tokensOf(output), session], ["CANCELLED", 2 * tokens, 2 * tokens])
    }))

  it.live("requests after a pause count when the workflow was cancelled meanwhile", () =>
    Effect.gen(function*() {
      const pay = Tool.make({ name: "pay", requiresConfirmation: true, effects: "idempotent", execute: () => "paid" })
      const turns = [[Script.toolCall("pay"), used], [Script.toolCall("look"), used], [Script.hang]]
      const { model } = yield* Script.make(turns)
      const agent = Agent.make({ id: "payer", model, tools: [pay, look] })
      const workflow = Workflow.make({ id: "w", steps: [Step.make({ name: "pay", agent })] })
      const first = yield* stopped(workflow, Infinity)
      const paused = (yield* first.find(run_id)) as WorkflowRun.Output
      assert.deepStrictEqual(runsOf(paused), [["PAUSED", tokens]])
      yield* first.close
      const second = yield* live({ workflows: [workflow], run_id, memory: first.memory, after: 3 })
      const ended = yield* Effect.forkChild(proceed(second, paused, { confirms: true }))
      yield* Effect.repeat(Effect.yieldNow, { until: () => second.written() === 4 })
      yield* second.rest
      ended.interruptUnsafe()
      const third = yield* live({ workflows: [workflow], run_id, memory: first.memory })
      yield* third.engine.cancel({ run_id, session_id: session, filter: { owner: Owner.anyone } })
      const { output, session: counted } = yield* resumed({ ...third, written: 0 })
      assert.deepStrictEqual(runsOf(output), [["CANCELLED", 2 * tokens]])
      assert.strictEqual(counted, 2 * tokens)
    }))

  it.live("stored requests of a branch count when another branch fails at once", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("slow", () => [Script.hang])
      let tried = 0
      const bad = Step.make({
        name: "bad",
        effects: "idempotent",
        run: () => tried++ === 0 ? Effect.never : Effect.fail("no")
      })
      const both = Parallel.make({ name: "both", steps: [bad, Step.make({ name: "slow", agent })] })
      const service = yield* stopped(Workflow.make({ id: "w", steps: [both] }), 2)
      const { output, session } = yield* resumed(service)
      assert.deepStrictEqual([output.status, tokensOf(output), session], ["ERROR", tokens, tokens])
    }))
})
