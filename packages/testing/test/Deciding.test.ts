// What a test decides about a run that waits.
import { approve, reject, type RunOutput } from "@svc-runtime/client"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import { Agent, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { assert, describe, expect, it } from "vitest"
import { z } from "zod"
import { assertCompleted, assertStatus, scriptedModel, testService, toolCall } from "../src/index.ts"

Tier.oneIn(4)

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

  it("other arguments, and a note that is no text, are refused before anything is done", async () => {
    const made: Array<unknown> = []
    const tools = [refundWith({ requiresConfirmation: true }, made)]
    await using service = await testService({ agents: [Agent.make({ id: "clerk", model: call(), tools })] })
    const paused = await service.agent("clerk").run("Refund 17")
    const edited = /^Error: approve\(run\) takes only the run\. .* tool_args: \{ … \} \} \}\] \}\)$/
    for (const more of [{ order: 18 }, { args: { order: 18 } }, "As agreed"]) {
      const byKit = paused.approve as (more: unknown) => Promise<unknown>
      assert.match(await byKit(more).then(() => "", String), edited)
      const byClient = approve as (run: RunOutput, more: unknown) => unknown
      assert.throws(() => byClient(paused.output, more), "approve(run) takes only the run")
    }
    const withMore = approve as (run: object, ...more: ReadonlyArray<unknown>) => object
    assert.throws(() => withMore(paused.output, 18), "approve(run) takes only the run")
    assert.throws(() => withMore(paused.output, undefined, { order: 18 }), "approve(run) takes only the run")
    const step = { resolved: false, requires_executor_input: true, executor_requirements: [{}] }
    assert.throws(() => withMore({ step_requirements: [step] }, { order: 18 }), "executor_requirements of its step")
    const noted = await paused.reject({ note: "Too late" } as never).catch(String)
    assert.strictEqual(noted, "Error: reject(run, note) takes the run and a note, which is a text")
    assert.deepStrictEqual([paused.output].map(approve as (run: RunOutput) => object).length, 1)
    assert.deepStrictEqual([paused.output].map(reject as (run: RunOutput) => object).length, 1)
    const requirements = (paused.output.requirements ?? []).map((requirement) => ({
      ...requirement,
      tool_execution: { ...requirement.tool_execution, tool_args: { order: 18 } }
    }))
    const done = await service.client.agent("clerk").continue(paused.output, approve({ requirements }))
    assert.deepStrictEqual([done.status, made], ["COMPLETED", [18]])
  })

  it.each([undefined, "30 days" as const])(
    "a rejected waitFor is Declined with the note, in a tool and in a step by each form of the decision: timeout %s",
    async (timeout) => {
      const wait = ({ waitFor }: Pick<Durable, "waitFor">) =>
        waitFor("paid", timeout === undefined ? {} : { timeout }).then(
          () => "nothing came",
          ({ kind, message }: { readonly kind: string; readonly message: string }) => `${kind}: ${message}`
        )
      const tools = [Tool.make({ name: "wait", execute: (_, context) => wait(context) })]
      const model = scriptedModel([toolCall("wait", {}), "Done."])
      const steps = [Step.make({ name: "s", run: wait })]
      await using service = await testService({
        agents: [Agent.make({ id: "clerk", model, tools })],
        workflows: [Workflow.make({ id: "order", steps })]
      })
      const ofTool = await (await service.agent("clerk").run("Go")).reject("no money")
      assert.strictEqual(ofTool.toolCalls[0]?.result, "Declined: no money")
      const order = service.workflow("order")
      assert.strictEqual((await (await order.run("Go")).reject("no money")).content, "Declined: no money")
      const forms: ReadonlyArray<(id: string) => object> = [
        (id) => ({ executor_requirements: [{ id, confirmed: false, confirmation_note: "no money" }] }),
        (id) => ({ executor_requirements: [{ id, confirmation: false, confirmation_note: "no money" }] }),
        (id) => ({
          executor_requirements: [{ id, tool_execution: { confirmed: false, confirmation_note: "no money" } }]
        }),
        () => ({ confirmed: false, rejection_feedback: "no money" })
      ]
      for (const form of forms) {
        const paused = await order.run("Go")
        const [step] = paused.output.step_requirements ?? []
        const [waiting] = step?.executor_requirements ?? []
        const decided = { step_id: step?.step_id, ...form(String((waiting as { readonly id?: unknown }).id)) }
        const done = await order.continue(paused, { step_requirements: [decided] } as never)
        assert.strictEqual(done.content, "Declined: no money", JSON.stringify(decided))
      }
    }
  )

  it("what waits for an event is not approved, with what to send", async () => {
    const steps = [Step.make({ name: "s", run: ({ waitFor }) => waitFor("parcel arrived") })]
    await using service = await testService({ workflows: [Workflow.make({ id: "order", steps })] })
    const paused = await service.workflow("order").run("Go")
    assert.match(
      await paused.approve().then(() => "", String),
      /'parcel arrived' needs the event in `external_execution_result`, as send\(run, 'parcel arrived'\) of the clients sends it/
    )
    assert.match(await paused.answer({ a: 1 }).then(() => "", String), /It waits for the event 'parcel arrived'/)
  })

  it("a step can give a Proxy, and its calls are refused with what was given", async () => {
    const draft = Step.make({ name: "draft", run: () => new Proxy({ a: [new Proxy({ b: 1 }, {})] }, {}) })
    const read = Step.make({ name: "read", run: ({ input }) => input })
    const failing = (id: string, run: (context: Durable) => unknown) =>
      Workflow.make({ id, steps: [Step.make({ name: "s", run: (context) => run(context) as never })] })
    const workflows = [
      Workflow.make({ id: "draft", steps: [draft, read] }),
      failing("unnamed", ({ waitFor }) => waitFor("")),
      failing("other", ({ run }) => run("other" as never, "x")),
      failing("asked", ({ pause }) => pause({ message: "Sure?" } as never)),
      failing("text", ({ generate }) => generate("Write it" as never)),
      failing("time", ({ waitFor }) => waitFor("x", "30 days" as never))
    ]
    await using service = await testService({ workflows })
    const contentOf = async (id: string) => (await service.workflow(id).run("Go")).content
    assert.deepStrictEqual(await contentOf("draft"), { a: [{ b: 1 }] })
    assert.match(String(await contentOf("unnamed")), /the event of waitFor\(\) has no name/)
    assert.match(
      String(await contentOf("other")),
      /run\(\) takes an agent, a team or a workflow, and was given the text/
    )
    assert.match(String(await contentOf("asked")), /there is no option 'message'\. Did you mean 'question'/)
    assert.match(String(await contentOf("text")), /such as \{ prompt: … \}/)
    assert.match(String(await contentOf("time")), /such as \{ timeout: … \}/)
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
