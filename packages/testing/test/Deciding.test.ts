// What a test decides about a run that waits.
import { Agent, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { assertCompleted, assertStatus, scriptedModel, testService, toolCall } from "../src/index.ts"

interface Asking {
  readonly requiresConfirmation?: boolean
  readonly approval?: "required"
}

const refundWith = (options: Asking, made: Array<unknown> = []) =>
  Tool.make({
    name: "refund",
    parameters: z.object({ order: z.int() }),
    ...options,
    execute: ({ order }) => {
      made.push(order)
      return "Refunded."
    }
  })

const call = () => scriptedModel([toolCall("refund", { order: 17 }), "Done."])

describe("a run of a test that waits", () => {
  it.each([["a confirmation", { requiresConfirmation: true }], ["an approval", { approval: "required" as const }]])(
    "approve continues it, and reject tells the model why: %s",
    async (_, options) => {
      const made: Array<unknown> = []
      const clerk = () => Agent.make({ id: "clerk", model: call(), tools: [refundWith(options, made)] })
      await using service = await testService({ agents: [clerk()] })
      const run = await (await service.agent("clerk").run("Refund 17")).approve()
      assertCompleted(run)
      assert.deepStrictEqual(made, [17])
      await using other = await testService({ agents: [clerk()] })
      const rejected = await (await other.agent("clerk").run("Refund 17")).reject("Too late")
      assertCompleted(rejected)
      assert.include(rejected.toolCalls[0]?.result, "Too late")
      assert.deepStrictEqual(made, [17])
    }
  )

  it("the approvals of members are resolved too", async () => {
    const member = Agent.make({ id: "clerk", model: call(), tools: [refundWith({ approval: "required" })] })
    const model = scriptedModel([toolCall("delegate_task_to_member", { member_id: "clerk", task: "Refund" }), "Good."])
    await using service = await testService({ teams: [Team.make({ id: "desk", model, members: [member] })] })
    const paused = await service.team("desk").run("Refund 17")
    assertStatus(paused, "PAUSED")
    assertCompleted(await paused.approve())
  })

  it("answer gives the values of fields, one pause after the other", async () => {
    const day = Step.make({
      name: "day",
      userInput: { message: "When?", schema: z.object({ day: z.string() }) },
      run: async ({ pause, userInput }) => {
        const { phone } = await pause({ question: "Which number?", schema: z.object({ phone: z.string() }) })
        return `${userInput?.day} ${phone}`
      }
    })
    await using service = await testService({ workflows: [Workflow.make({ id: "visit", steps: [day] })] })
    const next = await (await service.workflow("visit").run("Go")).answer({ day: "monday" })
    assert.strictEqual((await next.answer({ phone: "123" })).content, "monday 123")
  })

  it("a run that is not awaited is refused with what is missing", async () => {
    const agent = Agent.make({ id: "clerk", model: scriptedModel(["Hello"]) })
    await using service = await testService({ agents: [agent] })
    const run = service.agent("clerk").run("Hello")
    assert.throws(() => assertCompleted(run as never), "The run is a promise. Write await before it")
    assert.throws(
      () => service.agent("clerk").continue(run as never, {}),
      "The run is a promise. Write await before it"
    )
    assertCompleted(await run)
  })
})
