// Runs that wait for several decisions at the same time: the functions of the client are about all of them.
import { assert, describe, it } from "@effect/vitest"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { answer, approve, reject, stepPlace, waitingSteps } from "@svc-runtime/client"
import * as DecisionList from "@svc-runtime/engine/run/DecisionList"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { withSvc } from "./Served.ts"

/** Its model calls a tool that needs a confirmation, in each of its runs. */
const paying = Effect.fnUntraced(function*(id: string, paid: Array<string>, { isTogether = false, runs = 1 } = {}) {
  const pay = Tool.make({
    name: "pay",
    parameters: Schema.Struct({}),
    requiresConfirmation: true,
    execute: () => (paid.push(id), "paid")
  })
  const calls = Array.from({ length: runs }, (_, index) => [Script.toolCall("pay", {}, `${id}_${index}`)])
  const ends = calls.map(() => [Script.text("Done.")])
  const { model } = yield* Script.make(
    isTogether ? [...calls, ...ends] : calls.flatMap((call, at) => [call, ends[at]!])
  )
  return Agent.make({ id, model, tools: [pay] })
})

const team = Effect.fnUntraced(function*(id: string, paid: Array<string>) {
  const members = yield* Effect.forEach(["first", "second"], (name) => paying(`${id}-${name}`, paid))
  const { model } = yield* Script.make([
    members.map((member) =>
      Script.toolCall("delegate_task_to_member", { member_id: member.id, task: "pay" }, `to_${member.id}`)
    ),
    [Script.text("All done.")]
  ])
  return Team.make({ id, model, members })
})

const asks = (name: string) => Step.make({ name, confirmation: true, run: () => name })

describe("a run that waits for several decisions", () => {
  it.live("all members of a team are decided, also of a team that does a step", () =>
    Effect.gen(function*() {
      const paid: Array<string> = []
      const alone = yield* team("alone", paid)
      const steps = yield* Effect.forEach(["left", "right"], (id) => team(id, paid))
      const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "both", steps })] })
      yield* withSvc({ teams: [alone], workflows: [flow] }, async (svc) => {
        const paused = await svc.team("alone").run("Go")
        assert.strictEqual((await svc.team("alone").continue(paused, approve(paused))).status, "COMPLETED")
        assert.deepStrictEqual(paid.splice(0).toSorted(), ["alone-first", "alone-second"])
        const waiting = await svc.workflow("flow").run("Go")
        assert.deepStrictEqual(waitingSteps(waiting).map(({ executor_requirements: calls }) => calls?.length), [2, 2])
        assert.strictEqual((await svc.workflow("flow").continue(waiting, approve(waiting))).status, "COMPLETED")
        assert.lengthOf(paid, 4)
      })
    }))

  it.live("a decision names the question and what was shown of it, and hundreds of them fit a request", () =>
    withSvc({ workflows: [Workflow.make({ id: "one", steps: [asks("sure")] })] }, async (svc) => {
      const [step] = (await svc.workflow("one").run("Go")).step_requirements ?? []
      if (step === undefined) return assert.fail("no step waits")
      const { id = "", step_id, step_input } = step
      const steps = Array.from({ length: 600 }, (_, at) => ({ ...step, id: `${id}${at}`, resolved: at < 2 }))
      const { step_requirements: sent = [] } = approve({ step_requirements: steps })
      assert.deepStrictEqual([sent.length, sent[0]], [598, {
        id: `${id}2`,
        step_id,
        retry_count: 0,
        step_input,
        confirmed: true
      }])
      await Effect.runPromise(DecisionList.decoder(Schema.Unknown)(sent))
      const open = {
        id: "c",
        confirmation: null,
        tool_execution: { tool_call_id: "c", tool_args: { a: 1 }, result: null }
      }
      const called = { ...step, requires_executor_input: true, executor_requirements: [open] }
      assert.deepStrictEqual<unknown>(approve({ step_requirements: [called] }).step_requirements, [{
        id,
        step_id,
        retry_count: 0,
        step_input,
        executor_requirements: [{
          id: "c",
          confirmation: true,
          tool_execution: { tool_call_id: "c", tool_args: { a: 1 } }
        }]
      }])
      const failed = { id: "f", step_id: "f", step_name: "f", error_message: "no", error_type: "Error", retry_count: 1 }
      assert.deepStrictEqual<unknown>(reject({ error_requirements: [failed] }), {
        error_requirements: [{ id: "f", step_id: "f", error_message: "no", retry_count: 1, decision: "skip" }]
      })
    }))

  it("a step of a workflow inside of an item is named with the item", () => {
    const step = (item: number) => ({
      id: `1/#${item}/0/>/1/$0?0`,
      step_name: "q",
      step_index: 1,
      resolved: false,
      user_input_schema: [{ name: "day" }]
    })
    assert.throws(
      () => answer({ step_requirements: [step(1), step(3)] }, { day: "friday" }),
      "'q' (1/0/0/1), 'q' (1/2/0/1)"
    )
    assert.deepStrictEqual([stepPlace(step(1)), stepPlace({ step_index: 1 }), stepPlace({ step_index: [0, 1] })], [
      "1/0/0/1",
      undefined,
      "0/1"
    ])
  })

  it.live("the items of a list, nested workflows and a function that runs an agent are decided together", () =>
    Effect.gen(function*() {
      const paid: Array<string> = []
      const item = yield* paying("item", paid, { isTogether: true, runs: 2 })
      const inner = yield* paying("inner", paid)
      const nested = Workflow.make({
        id: "nested",
        steps: [Parallel.make({ name: "in", steps: [asks("x"), asks("y")] })]
      })
      const steps = [
        ForEach.make({ name: "each", items: () => [1, 2], steps: [item] }),
        Step.make({ name: "nested", workflow: nested }),
        Step.make({ name: "runs", run: async ({ run }) => String((await run(inner, "Go")).content) })
      ]
      const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps })] })
      yield* withSvc({ agents: [item, inner], workflows: [flow] }, async (svc) => {
        const waiting = await svc.workflow("flow").run("Go")
        assert.lengthOf(waitingSteps(waiting), 5)
        const done = await svc.workflow("flow").continue(waiting, approve(waiting))
        assert.deepStrictEqual([done.status, paid.toSorted()], ["COMPLETED", ["inner", "item", "item"]])
      })
    }))

  it.live("each step gets what it asks for, and what none has given is refused by its name", () =>
    withSvc({
      workflows: [
        Workflow.make({
          id: "flow",
          steps: [
            Parallel.make({
              name: "all",
              steps: [
                Step.make({
                  name: "room",
                  userInput: { schema: Schema.Struct({ room: Schema.String }) },
                  run: ({ userInput }) => userInput.room
                }),
                Router.make({
                  name: "way",
                  selection: true,
                  choices: [asks("left"), Step.make({ name: "right", run: () => "right" })]
                }),
                asks("sure"),
                Step.make({ name: "paid", run: async ({ waitFor }) => String(await waitFor("paid")) })
              ]
            })
          ]
        })
      ]
    }, async (svc) => {
      const flow = svc.workflow("flow")
      const waiting = await flow.run("Go")
      assert.deepStrictEqual(waitingSteps(waiting).map(({ step_name }) => step_name).toSorted(), [
        "room",
        "sure",
        "way"
      ])
      for (
        const [decisions, name] of [[approve(waiting), "'way'"], [answer(waiting, { room: "7" }), "'way'"], [
          answer(waiting, {}, { choices: ["right"] }),
          "'room'"
        ]] as const
      ) {
        assert.include(String(await flow.continue(waiting, decisions).catch((error: unknown) => error)), name)
      }
      const event = await flow.continue(waiting, answer(waiting, { room: "7" }, { choices: ["right"] }))
      assert.deepStrictEqual([event.status, waitingSteps(event).map(({ step_name }) => step_name)], ["PAUSED", [
        "paid"
      ]])
      const done = await flow.send(event, "paid", "yes")
      assert.deepStrictEqual(done.step_results?.[0]?.steps?.map(({ content }) => content), [
        "7",
        "Router way completed with 1 results",
        "sure",
        "yes"
      ])
    }))

  it.live("a rejection is about all of them", () =>
    withSvc({
      workflows: [
        Workflow.make({
          id: "flow",
          steps: [Parallel.make({
            name: "all",
            steps: [
              asks("sure"),
              Step.make({
                name: "room",
                userInput: { schema: Schema.Struct({ room: Schema.String }) },
                run: () => "room"
              }),
              Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
            ]
          })]
        })
      ]
    }, async (svc) => {
      const flow = svc.workflow("flow")
      const waiting = await flow.run("Go")
      const done = await flow.continue(waiting, reject(waiting, "too dear"))
      assert.strictEqual(done.status, "COMPLETED")
      assert.include(String(done.content), "a person rejected it: too dear")
    }))
})
