// What a test decides about a run that waits.
import { Agent, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { assert, describe, expect, it } from "vitest"
import { z } from "zod"
import { assertCompleted, assertStatus, scriptedModel, testService, toolCall } from "../src/index.ts"

Tier.oneIn(3)

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

  it.each([["a team", "desk"], ["one agent", "alone"]])(
    "each approval gets what it needs, and a value that none takes is refused: %s",
    async (_, place) => {
      const made: Array<unknown> = []
      const order = Tool.make({
        name: "order",
        parameters: z.object({ item: z.string(), address: z.string() }),
        requiresUserInput: ["address"],
        approval: "required",
        execute: (args) => {
          made.push(args)
          return "Ordered."
        }
      })
      const calls = [toolCall("order", { item: "tea", address: "" })]
      const member = (id: string, steps: typeof calls, tool: typeof order) =>
        Agent.make({ id, model: scriptedModel([steps, "Done."]), tools: [tool] })
      const refund = refundWith({ approval: "required" }, made) as never
      const team = Team.make({
        id: "desk",
        model: scriptedModel([
          [
            toolCall("delegate_task_to_member", { member_id: "clerk", task: "Refund" }),
            toolCall("delegate_task_to_member", { member_id: "buyer", task: "Order" })
          ],
          "Good."
        ]),
        members: [member("clerk", [toolCall("refund", { order: 17 })], refund), member("buyer", calls, order)]
      })
      const alone = Agent.make({
        id: "alone",
        model: scriptedModel([[...calls, toolCall("refund", { order: 17 })], "Good."]),
        tools: [order, refund]
      })
      await using service = await testService({ teams: [team], agents: [alone] })
      const component = place === "desk" ? service.team("desk") : service.agent("alone")
      const paused = await component.run("Refund and order")
      assertStatus(paused, "PAUSED")
      await expect(paused.answer({ adress: "Main Street 1" })).rejects.toThrow("'adress'")
      await expect(paused.approve()).rejects.toThrow(/order .*needs values of 'address'/)
      assertCompleted(await paused.answer({ address: "Main Street 1" }))
      assert.sameDeepMembers(made, [17, { item: "tea", address: "Main Street 1" }])
    }
  )

  it("a call with an approval is decided together with one that only needs a confirmation", async () => {
    const made: Array<unknown> = []
    const send = Tool.make({
      name: "send",
      parameters: z.object({ to: z.string() }),
      requiresConfirmation: true,
      execute: ({ to }) => {
        made.push(to)
        return "Sent."
      }
    })
    const model = () => scriptedModel([[toolCall("refund", { order: 17 }), toolCall("send", { to: "ann" })], "Done."])
    const clerk = () =>
      Agent.make({ id: "clerk", model: model(), tools: [refundWith({ approval: "required" }, made), send] })
    await using service = await testService({ agents: [clerk()] })
    assertCompleted(await (await service.agent("clerk").run("Refund 17")).approve())
    assert.sameMembers(made, [17, "ann"])
    const { data } = await service.client.approvals.list()
    assert.deepStrictEqual(data.map(({ status }) => status), ["approved"])
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
