// What does not follow the held time: processes, and callers that are refused.
import { Agent, Knowledge, McpTools } from "@svc-runtime/server"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { assertCompleted, assertToolCalls, scriptedModel, testService, toolCall } from "../src/index.ts"

const server = fileURLToPath(new URL("../../server/test/mcpClient/stdio-server.ts", import.meta.url))

describe("what takes real time", () => {
  it("a service whose tools are those of a process ends when the process has ended", async () => {
    const tools = McpTools.make({ name: "words", command: process.execPath, args: [server], effects: "read" })
    const model = scriptedModel([toolCall("variable", { name: "NONE" }), "Done."])
    const service = await testService({ agents: [Agent.make({ id: "a", model, tools: [tools] })] })
    const run = await service.agent("a").run("Read")
    assertCompleted(run)
    assertToolCalls(run, [{ name: "variable", result: "unset" }])
    await service.close()
  })

  it("documents are read while the time is moved by more than the time limit of a reader", async () => {
    const handbook = Knowledge.make({ name: "handbook", embedder: "none" })
    await using service = await testService({ knowledge: [handbook] })
    const { knowledge } = service.client
    await knowledge.add({ file: new File(["Tea."], "a.md") })
    await knowledge.add({ file: new File(["Coffee."], "b.md") })
    await service.advance("10 minutes")
    assert.deepStrictEqual((await knowledge.list()).data.map(({ status }) => status), ["completed", "completed"])
  })

  it("a run that exceeds a limit is refused without a wait, until the time is moved", async () => {
    const agent = Agent.make({ id: "a", model: scriptedModel(["One.", "Two."]), limits: { runsPerMinute: 1 } })
    await using service = await testService({ agents: [agent] })
    assertCompleted(await service.agent("a").run("1"))
    const refused = await service.agent("a").run("2").catch((error: unknown) => error)
    assert.include(refused, { name: "SvcError", status: 429, retryAfter: 60 })
    await service.advance("1 minute")
    assertCompleted(await service.agent("a").run("3"))
  })
})
