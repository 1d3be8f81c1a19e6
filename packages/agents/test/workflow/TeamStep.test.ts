// A team that does a step of a workflow: what is seen of it, where it waits, and what is left of it when its process is
// gone.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Schema } from "effect"
import { eventsOf, open } from "../../../engine/test/run/Engine.ts"
import type { AnyWorkflow } from "../../src/workflow/define/Node.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import { linesOf } from "../agent/Harness.ts"
import { delegate, eventLines, member, teamOf } from "../team/Harness.ts"
import { commandOf } from "./Harness.ts"

const used = Script.usage({ input: 10, output: 5 })

/** One member, in a team in a team, between two functions. */
const office = Effect.gen(function*() {
  const reader = yield* member("reader", [[text("I read it."), used]])
  const library = yield* teamOf([reader.agent], [[delegate("reader", "read"), used], [text("They read it."), used]], {
    id: "library",
    name: "Library"
  })
  return yield* teamOf([library.team], [[delegate("library", "find"), used], [text("Found."), used]])
})

const first = Step.make({ name: "first", run: () => "tea" })
const last = Step.make({ name: "last", run: ({ input }) => `after ${String(input)}` })

const run = Effect.fnUntraced(function*(workflow: AnyWorkflow) {
  const service = yield* open({ workflows: [workflow] })
  const handle = yield* service.engine.start(commandOf(workflow, {}))
  const events = yield* eventsOf(handle)
  return { ...service, events, output: (yield* handle.output) as WorkflowRun.Output }
})

describe("a team that does a step", () => {
  it.effect("a team gets the output of the step before, and its answer is the output of the step", () =>
    Effect.gen(function*() {
      const { script, team } = yield* office
      const { output } = yield* run(Workflow.make({ id: "w", steps: [first, team, last] }))
      assert.deepStrictEqual([output.status, output.content], ["COMPLETED", "after Found."])
      assert.strictEqual(linesOf((yield* script.calls)[0]).at(-1), "user: tea")
      const [, step] = output.step_results ?? []
      const [executed] = output.step_executor_runs ?? []
      assert.deepInclude(step, { step_name: "Desk", step_type: "Step", executor_type: "team", executor_name: "Desk" })
      assert.strictEqual(step?.step_run_id, executed?.["run_id"])
    }))

  it.effect("a team keeps its run with the runs of its members in the workflow's, and all of them are counted", () =>
    Effect.gen(function*() {
      const { team } = yield* office
      const { output } = yield* run(Workflow.make({ id: "w", steps: [first, team] }))
      const [executed] = output.step_executor_runs as unknown as ReadonlyArray<TeamRun.Output>
      const [library] = executed?.member_responses as ReadonlyArray<TeamRun.Output>
      const [reader] = library?.member_responses ?? []
      assert.deepStrictEqual(
        [executed?.team_id, executed?.parent_run_id, executed?.workflow_step_id, executed?.content],
        ["desk", output.run_id, output.step_results?.[1]?.step_id, "Found."]
      )
      assert.deepStrictEqual([library?.content, reader?.content], ["They read it.", "I read it."])
      assert.deepStrictEqual(WorkflowRun.usageOf(output), {
        input_tokens: 50,
        output_tokens: 25,
        total_tokens: 75,
        details: {
          model: [{ id: "scripted", provider: "Scripted", input_tokens: 50, output_tokens: 25, total_tokens: 75 }]
        }
      })
    }))

  it.effect("the events of a team and of its members are among the workflow's events, each with its step", () =>
    Effect.gen(function*() {
      const { team } = yield* office
      const { events, output } = yield* run(Workflow.make({ id: "w", steps: [first, team, last] }))
      const inside = events.filter((event) => "team_id" in event || "agent_id" in event)
      assert.deepStrictEqual(eventLines(inside).filter((each) => /Run(Started|Completed)$/.test(each)), [
        "desk TeamRunStarted",
        "library TeamRunStarted",
        "reader RunStarted",
        "reader RunCompleted",
        "library TeamRunCompleted",
        "desk TeamRunCompleted"
      ])
      const decode = Schema.decodeUnknownEffect(RunEvent.RunEvent, { onExcessProperty: "error" })
      for (const event of inside) {
        assert.deepInclude<object>(event, {
          workflow_id: "w",
          workflow_run_id: output.run_id,
          step_id: output.step_results?.[1]?.step_id,
          step_name: "Desk",
          step_index: 1,
          session_id: output.session_id,
          nested_depth: 0
        })
        assert.isFalse("parent_step_id" in event)
        yield* decode(JSON.parse(JSON.stringify(event)) as Json.Value)
      }
      assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
    }))
})

describe("a workflow that is cancelled while a member of a team executes", () => {
  it.effect("a cancelled workflow ends the member first, then its teams, and keeps their text so far", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const steps = [text("So far"), Script.wait(Deferred.succeed(begun, undefined)), Script.hang]
      const reader = yield* member("reader", [steps])
      const library = yield* teamOf([reader.agent], [[delegate("reader", "read")]], { id: "library" })
      const { team } = yield* teamOf([library.team], [[delegate("library", "find")]])
      const workflow = Workflow.make({ id: "w", steps: [first, team, last] })
      const service = yield* open({ workflows: [workflow] })
      const command = commandOf(workflow, {})
      const handle = yield* service.engine.start(command)
      yield* Deferred.await(begun)
      yield* service.engine.cancel({
        run_id: command.run_id,
        session_id: command.session_id,
        filter: { owner: Owner.anyone }
      })
      assert.deepStrictEqual(eventLines(yield* eventsOf(handle)).slice(-4), [
        "reader RunCancelled",
        "library TeamRunCancelled",
        "desk TeamRunCancelled",
        " WorkflowCancelled"
      ])
      const output = (yield* handle.output) as WorkflowRun.Output
      assert.strictEqual(output.status, "CANCELLED")
      assert.deepStrictEqual(output.step_results?.map(({ error, step_name }) => [step_name, error]), [
        ["first", null],
        ["Desk", "Cancelled during execution"]
      ])
      const [executed] = (output.step_executor_runs ?? []) as unknown as ReadonlyArray<TeamRun.Output>
      const [kept] = executed?.member_responses as ReadonlyArray<TeamRun.Output>
      assert.deepStrictEqual(kept?.member_responses?.map(({ content, status }) => [status, content]), [
        ["CANCELLED", "So far"]
      ])
    }))
})

describe("a team that fails while it does a step", () => {
  it.effect("a team that fails makes the step fail, as its author says, and its run is kept", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [])
      const { team } = yield* teamOf([reader.agent], [[Script.fail("provider is down")]])
      const { events, output } = yield* run(
        Workflow.make({ id: "w", steps: [first, Step.make({ name: "desk", team, onError: "skip" }), last] })
      )
      assert.strictEqual(output.status, "COMPLETED")
      const step = output.step_results?.[1]
      assert.deepStrictEqual([step?.success, step?.executor_type], [false, "team"])
      assert.match(String(step?.error), /provider is down/)
      const [executed] = output.step_executor_runs ?? []
      assert.deepStrictEqual([executed?.["team_id"], executed?.["status"]], ["desk", "ERROR"])
      assert.deepStrictEqual(eventLines(events).filter((each) => each.includes("Error")), [
        "desk TeamRunError",
        " StepError"
      ])
    }))
})
