// Arguments of the decisions of a test that these do not take.
import { Agent, Step, Tool, Workflow } from "@svc-runtime/server"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { assertCompleted, scriptedModel, testService, toolCall } from "../src/index.ts"

const refused = (decision: (...given: ReadonlyArray<never>) => Promise<unknown>, ...given: ReadonlyArray<unknown>) =>
  (Reflect.apply(decision, undefined, given) as Promise<unknown>).then(() => "made", ({ message }: Error) => message)

const made: Array<unknown> = []
const refund = Tool.make({
  name: "refund",
  parameters: z.object({ order: z.int() }),
  requiresConfirmation: true,
  execute: ({ order }) => (made.push(order), "Refunded.")
})
const pay = Step.make({ name: "pay", confirmation: true, run: () => (made.push("paid"), "paid") })

describe("a decision of a test", () => {
  it("an argument that it does not take is refused, and nothing is done", async () => {
    const model = scriptedModel([toolCall("refund", { order: 17 }), "Done."])
    await using service = await testService({
      agents: [Agent.make({ id: "clerk", model, tools: [refund] })],
      workflows: [Workflow.make({ id: "order", steps: [pay] })]
    })
    const paused = [await service.agent("clerk").run("Go"), await service.workflow("order").run("Go")]
    for (const run of paused) {
      assert.strictEqual(run.status, "PAUSED")
      for (const given of [[false], [true], [0, paused], [{}, { confirmed: false }], [{}, {}, {}], [new Map()]]) {
        assert.include(await refused(run.answer, ...given), "answer(run, values")
      }
      for (const given of [["a", "b"], ["a", { x: 1 }], [17, [run]], [0, paused]]) {
        assert.include(await refused(run.reject, ...given), "reject(run, note) takes")
      }
      for (const given of [["a"], [17, [run]], [0, paused]]) {
        assert.include(await refused(run.approve, ...given), "approve(run) takes only the run")
      }
    }
    assert.deepStrictEqual(made, [])
  })

  it("the result of a call that is executed elsewhere can be given", async () => {
    const tools = [Tool.make({ name: "ask", externalExecution: true })]
    const model = scriptedModel([toolCall("ask", {}), "Done."])
    await using service = await testService({ agents: [Agent.make({ id: "clerk", model, tools })] })
    const done = await (await service.agent("clerk").run("Go")).answer(undefined, { result: { size: 4 } })
    assertCompleted(done)
    assert.strictEqual(done.toolCalls[0]?.result, `{"size":4}`)
  })
})
