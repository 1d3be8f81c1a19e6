// What a service of a test declares in code.
import { Agent, Knowledge } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { assertCompleted, assertStatus, scriptedModel, testService, text, toolCall, usage } from "../src/index.ts"

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
