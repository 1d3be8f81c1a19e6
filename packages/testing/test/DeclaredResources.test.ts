// What a service of a test declares in code.
import { Agent, Knowledge, Step, Workflow } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { z } from "zod"
import { assertCompleted, assertStatus, scriptedModel, testService, text, toolCall, usage } from "../src/index.ts"

Tier.oneIn(2)

describe("declared resources of a test", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-declared-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("a declared webhook and a declared account need no secrets of the environment", async () => {
    await using service = await testService({
      webhooks: [{ name: "ends", url: "https://receiver.example/", events: ["run.failed"], secret: undefined }],
      serviceAccounts: [{ name: "ci", token: undefined }]
    })
    const { data } = await service.client.webhooks.list()
    assert.deepStrictEqual(data.map(({ description }) => description), ["ends"])
  })

  it("a declaration that cannot work is an error with its sentence", async () => {
    const error: unknown = await testService({
      schedules: [{ name: "daily", cron: "0 9 * * *", component: { kind: "agent", id: "missing" } }],
      datasets: [{ name: "Numbers", items: [{ id: "a", input: "1" }, { id: "a", input: "2" }] }]
    }).then(() => undefined, (error: unknown) => error)
    assert.instanceOf(error, Error)
    assert.match(
      error.message,
      /^What the application declares cannot be used\. The schedule 'daily': There is no agent/
    )
    assert.include(error.message, "The dataset 'Numbers': Two items have the id 'a'")
  })

  it("a schedule whose payload does not fit the inputSchema of its workflow is refused, in code and by a request", async () => {
    const inputSchema = z.object({ order: z.string() })
    const order = Workflow.make({ id: "order", inputSchema, steps: [Step.make({ name: "s", run: () => "Done." })] })
    const agent = Agent.make({ id: "desk", inputSchema })
    const started = (component: typeof agent | typeof order, payload: object | string) =>
      testService({
        agents: [agent],
        workflows: [order],
        schedules: [{ name: "daily", cron: "0 9 * * *", component, payload: payload as string }]
      })
    for (const component of [order, agent]) {
      for (const payload of ["hello", { message: { order: 1 } }]) {
        const error = String(await started(component, payload).then(() => undefined, (error: unknown) => error))
        assert.match(error, /The schedule 'daily': The payload does not start a run: message.*(order|input_schema)/)
      }
    }
    const other = Workflow.make({ id: "other", steps: [Step.make({ name: "s", run: () => "Done." })] })
    assert.match(
      String(await started(other as never, "x").then(() => undefined, (error: unknown) => error)),
      /There is no workflow 'other'\. The workflows are: order\. Add it to workflows: \[ … \]/
    )
    assert.match(
      String(await started(agent, { prompt: "x" }).then(() => undefined, (error: unknown) => error)),
      /message: Field required\. It has 'prompt', and no 'message'/
    )
    const moment = z.object({ order: z.string().refine(() => false, "the shop is closed") })
    const steps = [Step.make({ name: "s", run: () => "Done." })]
    const closed = Workflow.make({ id: "order", inputSchema: moment, steps })
    await using atNight = await testService({
      workflows: [closed],
      schedules: [{ name: "daily", cron: "0 9 * * *", component: closed, payload: { message: { order: "A1" } } }]
    })
    assert.strictEqual((await atNight.client.schedules.list()).data.length, 1)
    await using service = await started(order, { message: { order: "A1" } })
    const made = (message: unknown) =>
      service.client.schedules.create({
        name: "weekly",
        cron_expr: "0 9 * * 1",
        endpoint: "/workflows/order/runs",
        payload: { message } as never
      })
    assert.match(
      String(await made("hello").catch((error: unknown) => error)),
      /The payload does not start a run: message/
    )
    assert.strictEqual((await made({ order: "A2" })).name, "weekly")
  })

  it.each(["approvals:approve", "approvals.write", "aprovals:write", "approvals"])(
    "a role with a scope that does not exist is refused: %s",
    async (scope) => {
      const authorization = { enabled: true, algorithm: "HS256", verificationKeys: ["x".repeat(40)] } as const
      const started = testService({ authorization: { ...authorization, roles: { lead: [scope] } } })
      const error = String(await started.then(() => undefined, (error: unknown) => error))
      assert.include(error, `The role 'lead' cannot be used: there is no scope '${scope}'`)
      await using known = await testService({
        authorization: { ...authorization, roles: { lead: ["approvals:write"] } }
      })
      assert.isDefined(known)
    }
  )

  it("a schedule of a component can have its message as the payload", async () => {
    const desk = Agent.make({ id: "desk" })
    await using service = await testService({
      agents: [desk],
      schedules: [{ name: "daily", cron: "0 9 * * *", component: desk, payload: "Write the report." }]
    })
    const { data } = await service.client.schedules.list()
    assert.deepStrictEqual(data.map(({ payload }) => payload), [{ message: "Write the report." }])
  })

  it("a scripted model costs nothing, unless the budget has a price, and each currency is known", async () => {
    const all = { name: "all", scope: "service", period: "month", amount: 1, currency: "EUR" } as const
    const desk = Agent.make({ id: "desk" })
    const script = () => scriptedModel([[text("Hello."), usage({ input: 10, output: 1_000_000 })], "Again."])
    await using free = await testService({ agents: [desk], model: script(), budgets: [all] })
    assertCompleted(await free.run(desk, "Hello"))
    assertCompleted(await free.run(desk, "Hello"))
    const budgets = [{ ...all, unpriced: { input: 1, output: 4 } }]
    await using priced = await testService({ agents: [desk], model: script(), budgets })
    assertCompleted(await priced.run(desk, "Hello"))
    const refused: unknown = await priced.run(desk, "Hello").catch((error: unknown) => error)
    assert.match(String(refused), /used 4\.\d+ of 1 EUR of the budget 'all'/)
    await using strict = await testService({
      agents: [desk],
      model: script(),
      budgets: [{ ...all, unpriced: "refuse" }]
    })
    assertStatus(await strict.run(desk, "Hello"), "ERROR")
  })

  it.runIf(Tier.isWhole)("a folder of knowledge is loaded when the service is there", async () => {
    for (let index = 0; index < 50; index++) {
      writeFileSync(join(folder, `${index}.md`), `The colour of ${index} is blue.`)
    }
    writeFileSync(join(folder, "holidays.md"), "Everybody has thirty days of holiday.")
    const handbook = Knowledge.make({ name: "handbook", embedder: "none", folder })
    const model = scriptedModel([toolCall("search_knowledge", { query: "holiday" }), "You have thirty days."])
    const agents = [Agent.make({ id: "assistant", model, knowledge: handbook })]
    await using service = await testService({ agents })
    assert.isBelow(service.now().getTime(), Date.UTC(2026, 0, 1, 0, 10), "the time moves as it really passes")
    const run = await service.agent("assistant").run("How many days of holiday do I have?")
    assertCompleted(run)
    assert.include(JSON.stringify(run.toolCalls), "thirty days of holiday")
    await using listening = await testService({ agents, model, listen: true })
    const found = await listening.client.knowledge.search({ query: "holiday" })
    assert.deepStrictEqual(found.data.map(({ name }) => name), ["holidays.md"])
  })
})
