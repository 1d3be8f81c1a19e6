import { assert, describe, it } from "@effect/vitest"
import * as assistant from "@svc-runtime/examples/recipes/assistant"
import * as background from "@svc-runtime/examples/recipes/background"
import * as budgets from "@svc-runtime/examples/recipes/budgets"
import * as commands from "@svc-runtime/examples/recipes/commands"
import * as manyTools from "@svc-runtime/examples/recipes/many-tools"
import { accountantWith } from "@svc-runtime/examples/recipes/mcp-tools"
import * as nested from "@svc-runtime/examples/recipes/nested"
import * as picture from "@svc-runtime/examples/recipes/picture"
import * as prompts from "@svc-runtime/examples/recipes/prompts"
import * as remote from "@svc-runtime/examples/recipes/remote"
import * as skills from "@svc-runtime/examples/recipes/skills"
import * as Tier from "@svc-runtime/test-support/Tier"
import {
  assertCompleted,
  assertToolCalls,
  scriptedModel,
  testService,
  text,
  toolCall,
  usage
} from "@svc-runtime/testing"
import { spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

Tier.oneIn(3)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

describe("recipes about agents", () => {
  it("the model gets the picture that is sent with a message", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "recipe-")), "picture.png")
    writeFileSync(path, Buffer.from(pixel, "base64"))
    const model = scriptedModel(["A red dot."])
    await using service = await testService({ ...picture.application, model })
    assert.strictEqual((await picture.describePicture(service.client, path)).text, "A red dot.")
    assert.include(JSON.stringify(model.requests[0]?.prompt), "\"mediaType\":\"image/png\"")
  })

  it("the tool executes an agent for each day", async () => {
    const models = {
      planner: scriptedModel([toolCall("sights", { city: "Lisbon", days: 2 }), "Belém, then Alfama."]),
      "city-guide": scriptedModel(["A sight.", "A sight."])
    }
    await using service = await testService({ ...nested.application, models })
    const run = await service.agent("planner").run("Two days in Lisbon")
    assertCompleted(run)
    assertToolCalls(run, [{ name: "sights", result: "A sight.\nA sight." }])
  })

  it("the result of the researcher joins the session, and the assistant tells it", async () => {
    const models = {
      assistant: scriptedModel([toolCall("researcher", { task: "Tea" }), "I will report.", "Both are one plant."]),
      researcher: scriptedModel(["It is the same plant."])
    }
    await using service = await testService({ ...background.application, models })
    const run = await service.agent("assistant").run({ message: "Compare teas", session_id: "tea" })
    assert.strictEqual(run.content, "I will report.")
    await service.until(async () => (await service.client.backgroundTasks.list("tea")).data[0]?.ended_at !== null)
    await service.until(() => models.assistant.remaining === 0)
    assert.include(JSON.stringify(models.assistant.requests[2]?.prompt), "It is the same plant.")
  })

  it("the agent calls the tool of an MCP server, which is another service", async () => {
    await using bank = await testService({ ...assistant.application, listen: true })
    const model = scriptedModel([toolCall("bank_balance", { account: "savings" }), "12 euros."])
    await using service = await testService({ agents: [accountantWith(`${bank.url}/mcp`)], model })
    const run = await service.agent("accountant").run("How much do I have?")
    assertCompleted(run)
    assert.deepStrictEqual(JSON.parse(run.toolCalls[0]?.result ?? ""), { account: "savings", cents: 1200 })
  })

  it("the model finds one of many tools, and a later turn still has it", async () => {
    const model = scriptedModel([
      toolCall("search_tools", { query: "office hours Lisbon" }),
      toolCall("lisbon_opening_hours"),
      "At nine.",
      "At six."
    ])
    await using service = await testService({ ...manyTools.application, model })
    const first = await service.agent("offices").run("When does Lisbon open?")
    assertCompleted(first)
    assert.strictEqual(first.toolCalls[1]?.result, "The opening hours of Lisbon")
    await service.agent("offices").run({ message: "And when does it close?", session_id: first.output.session_id })
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name))
    assert.deepStrictEqual(names[0], ["today", "search_tools"])
    assert.deepStrictEqual(names[3], names[2])
    assert.include(names[3] ?? [], "lisbon_opening_hours")
  })

  it("the model reads a skill and a file of it when it needs them", async () => {
    const model = scriptedModel([
      toolCall("load_skill", { name: "refunds" }),
      toolCall("read_skill_file", { name: "refunds", path: "reasons.md" }),
      "Which order?"
    ])
    await using service = await testService({ ...skills.application, model })
    const run = await service.agent("clerk").run("Pay order 7 back")
    assertCompleted(run)
    assert.include(JSON.stringify(model.requests[0]?.prompt), "- refunds: How an order is paid back")
    assert.deepStrictEqual(run.toolCalls.map(({ isError }) => isError), [false, false])
    assert.strictEqual(run.toolCalls[1]?.result, "Damaged, late, or wrong.")
  })

  it("two agents have the same prompt, each with its own brand", async () => {
    const model = scriptedModel(["One.", "Two."])
    await using service = await testService({ ...prompts.application, model })
    assertCompleted(await service.agent("desk").run("Where is order 7?"))
    assertCompleted(await service.agent("writer").run("Write to Ann"))
    const [desk, writer] = model.requests.map(({ prompt }) => JSON.stringify(prompt))
    assert.include(desk, "orders.\\nWrite as our shop does: short, and friendly.")
    assert.include(writer, "Write as Acme does: short, and friendly.")
  })

  // commands need Linux with bubblewrap: without it, the service refuses to start, as the test of the sandbox says
  it.skipIf(spawnSync("bwrap", ["--version"]).status !== 0)(
    "an agent computes with a command on the files of its session, and keeps the result",
    async () => {
      const model = scriptedModel([
        toolCall("write_file", { path: "orders.csv", content: "7,50\n8,20\n" }),
        toolCall("run_command", { command: "awk -F, '{ sum += $2 } END { print sum }' orders.csv | tee sum.txt" }),
        toolCall("read_file", { path: "sum.txt" }),
        "It is 70."
      ])
      await using service = await testService({ ...commands.application, model })
      const run = await service.agent("analyst").run("What do the orders cost?")
      assertCompleted(run)
      assert.deepStrictEqual(run.toolCalls.map(({ isError }) => isError), [false, false, false])
      assert.strictEqual(run.toolCalls[1]?.result, JSON.stringify({ exit_code: 0, output: "70\n" }))
      assert.strictEqual(run.toolCalls[2]?.result, "70\n")
    }
  )

  it("a client of MCP sees the added tool beside those of the service", async () => {
    await using service = await testService({ ...assistant.application, listen: true })
    const response = await fetch(`${service.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list"
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
          }
        }
      })
    })
    const text = await response.text()
    assert.include(text, "\"balance\"")
    assert.include(text, "\"run_agent\"")
  })

  it("a user whose budget is used up is refused, and another one is not", async () => {
    const answer = [text("Yes"), usage({ input: 1_000_000 })]
    await using service = await testService({ ...budgets.application, model: scriptedModel([answer, answer]) })
    const ask = (user_id: string) => service.agent("assistant").run({ message: "Hi", user_id })
    assertCompleted(await ask("ann"))
    const refused = await ask("ann").catch((error: Error) => error)
    assert.include(String(refused), "This user has used 1 of 0.5 USD of the budget 'each user'")
    assertCompleted(await ask("bob"))
    const { data: [left] } = await service.client.budgets.list({ user_id: "ann" })
    assert.deepInclude(left?.current, { key: "ann", spent: 1, left: 0 })
  })

  it("the team gives a question to an agent of another service", async () => {
    const { application } = await import("@svc-runtime/examples/recipes/limits")
    await using other = await testService({ ...application, model: scriptedModel(["Forty-two."]), listen: true })
    const model = scriptedModel([
      toolCall("delegate_task_to_member", { member_id: "other", task: "Six times seven" }),
      "It is forty-two."
    ])
    await using service = await testService({
      ...remote.applicationWith(`${other.url}/a2a/agents/assistant`),
      models: { desk: model }
    })
    const run = await service.team("desk").run("Six times seven?")
    assertCompleted(run)
    assert.include(JSON.stringify(run.toolCalls), "Forty-two.")
  })
})
