// The service in memory, its time, and what it shows of runs.
import { Agent, ComponentTool, DatabaseHandle, Step, type StepInput, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import {
  assertCompleted,
  assertToolCalls,
  delay,
  scriptedModel,
  type TestService,
  testService,
  text,
  toolCall
} from "../src/index.ts"

Tier.oneIn(8)

const weather = Tool.make({
  name: "weather",
  effects: "read",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => `It is sunny in ${String(city)}`
})

const assistantOf = (model: Agent.Options["model"], options: Partial<Agent.Options> = {}) =>
  Agent.make({ id: "assistant", model, tools: [weather], ...options })

describe("the service of a test", () => {
  it("a workflow gets its input as its schema gives it: with defaults and changes, also inside of another and as a tool", async () => {
    const Guest = z.object({ name: z.string().trim(), wait: z.string().default("1 day") })
    const inner = Workflow.make({
      id: "inner",
      inputSchema: Guest,
      run: ({ input, workflowInput }) => [input, workflowInput]
    })
    const outer = Workflow.make({
      id: "outer",
      steps: [() => ({ name: " Ann " }), Step.make({ name: "in", workflow: "inner" })]
    })
    const model = scriptedModel([toolCall("inner", { name: "Bob " }), "Done."])
    const agent = Agent.make({
      id: "caller",
      model,
      tools: [ComponentTool.make({ component: inner, name: "inner", description: "It waits" })]
    })
    const days = Workflow.make({
      id: "days",
      inputSchema: z.object({ day: z.string().transform((text) => new Date(text)) }),
      run: ({ input }) => typeof input.day
    })
    await using service = await testService({ agents: [agent], workflows: [inner, outer, days] })
    const guest = (name: string) => [{ name, wait: "1 day" }, { name, wait: "1 day" }]
    const content = async (id: string, message: string) => (await service.workflow(id).run(message)).content
    assert.deepStrictEqual(await content("inner", "{\"name\": \" Ann\"}"), guest("Ann"))
    assert.deepStrictEqual(await content("outer", "Go"), guest("Ann"))
    const [call] = (await service.agent("caller").run("Go")).toolCalls
    assert.include(JSON.stringify(call?.result), "1 day")
    // what is no JSON stays as it was sent, because runs are stored
    assert.strictEqual(await content("days", "{\"day\": \"2026-11-29\"}"), "string")
  })

  it("a run has its answer, its events and its calls of tools", async () => {
    const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])
    await using service = await testService({ agents: [assistantOf(model)] })
    const run = await service.agent("assistant").run("How is the weather in Paris?")
    assert.strictEqual(run.status, "COMPLETED")
    assert.strictEqual(run.content, "Take your sunglasses.")
    assert.deepStrictEqual(run.toolCalls, [
      { name: "weather", args: { city: "Paris" }, result: "It is sunny in Paris", isError: false }
    ])
    const names = run.events.map(({ event }) => event)
    assert.strictEqual(names[0], "RunStarted")
    assert.strictEqual(names.at(-1), "RunCompleted")
    assert.deepStrictEqual(model.requests.map(({ tools }) => tools.map(({ name }) => name)), [["weather"], ["weather"]])
  })

  it("a service of a test has the options of a service that is served", async () => {
    await using service = await testService({
      agents: [assistantOf(scriptedModel([]))],
      name: "Desk",
      quickPrompts: { assistant: ["What is the weather?"] },
      databases: [DatabaseHandle.embedded({ id: "branch-db", dataDir: "branch" })],
      evaluations: { judge: scriptedModel([]) },
      mcp: { builtInTools: false, tools: [] }
    })
    const config: { readonly name: string; readonly databases: ReadonlyArray<string>; readonly chat: unknown } = await (
      await service.fetch("/config")
    ).json()
    assert.strictEqual(config.name, "Desk")
    assert.deepStrictEqual(config.chat, { quick_prompts: { assistant: ["What is the weather?"] } })
    assert.include(config.databases, "branch-db")
  })

  it("teams and workflows run too, with the calls of their members and steps", async () => {
    const member = () => assistantOf(scriptedModel([toolCall("weather", { city: "Rome" }), "Sunny."]))
    const leader = scriptedModel([
      toolCall("delegate_task_to_member", { member_id: "assistant", task: "Look" }),
      "Good."
    ])
    await using service = await testService({
      teams: [Team.make({ id: "team", model: leader, members: [member()] })],
      workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent: member() })] })]
    })
    const team = await service.team("team").run("Weather?")
    assertCompleted(team)
    assertToolCalls(team, ["delegate_task_to_member", "weather"])
    const flow = await service.workflow("flow").run("Weather?")
    assert.strictEqual(flow.content, "Sunny.")
    assertToolCalls(flow, [{ name: "weather", result: "It is sunny in Rome" }])
  })

  it("a session keeps its history and its state from run to run", async () => {
    const model = scriptedModel(["First.", "Second."])
    await using service = await testService({ agents: [assistantOf(model, { addHistoryToContext: true })] })
    await service.agent("assistant").run({ message: "One", session_id: "talk" })
    await service.agent("assistant").run({ message: "Two", session_id: "talk" })
    assert.deepStrictEqual(model.requests[1]?.prompt.content.map(({ role }) => role), ["user", "assistant", "user"])
    assert.lengthOf((await service.client.sessions.list()).data, 1)
  })

  it("a paused run continues with decisions", async () => {
    const guarded = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
    const agent = Agent.make({ id: "clerk", model: scriptedModel([toolCall("pay"), "Done."]), tools: [guarded] })
    await using service = await testService({ agents: [agent] })
    const paused = await service.agent("clerk").run("Pay")
    assert.strictEqual(paused.status, "PAUSED")
    assertToolCalls(paused, [{ name: "pay", result: undefined }])
    const requirements = paused.output.requirements?.map((each) => ({ ...each, confirmation: true })) ?? []
    const run = await service.agent("clerk").continue(paused, { requirements })
    assertCompleted(run)
    assertToolCalls(run, [{ name: "pay", result: "paid" }])
  })

  it("a failed run is given too, with what the service has logged", async () => {
    const broken = Tool.make({
      name: "broken",
      execute: () => {
        throw new Error("It has a bug")
      }
    })
    const agent = Agent.make({ id: "a", model: scriptedModel([toolCall("broken")]), tools: [broken] })
    await using service = await testService({ agents: [agent] })
    const run = await service.agent("a").run("Hi")
    assert.strictEqual(run.status, "ERROR")
    assert.match(String(run.content), /The script has no turn 2: the model was asked more than 1 times/)
    assert.isTrue(run.toolCalls[0]?.isError)
    assert.isTrue(run.problems.some(({ cause }) => cause.includes("It has a bug")), JSON.stringify(run.problems))
  })

  it("a request that is refused rejects as the client does", async () => {
    await using service = await testService()
    const refused = await service.agent("none").run("Hi").catch((error: unknown) => error)
    assert.include(refused, { name: "SvcError", status: 404 })
  })

  it("a test service listens on a free port where asked to", async () => {
    await using service = await testService({ agents: [assistantOf(scriptedModel(["Hi."]))], listen: true })
    assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/)
    const response = await fetch(`${service.url}/agents/assistant/runs`, {
      method: "POST",
      body: new URLSearchParams({ message: "Hi", stream: "false" })
    })
    assert.include(await response.text(), "\"content\":\"Hi.\"")
    assert.strictEqual((await service.fetch("/health")).status, 200)
  })

  it("two services share nothing", async () => {
    await using one = await testService({ agents: [assistantOf(scriptedModel(["Hi."]))] })
    await using other = await testService()
    await one.agent("assistant").run("Hi")
    assert.lengthOf((await one.client.sessions.list()).data, 1)
    assert.lengthOf((await other.client.sessions.list()).data, 0)
  })

  it("a closed service has stopped its loops", async () => {
    const service = await testService({ agents: [assistantOf(scriptedModel([]))] })
    await service.close()
    const before = service.logs.length
    await service.advance("1 hour")
    assert.lengthOf(service.logs, before)
  })

  it("a run that is left open rejects when its service is closed, and the service can be closed twice", async () => {
    const service = await testService({ agents: [assistantOf(scriptedModel([delay("1 hour")]))] })
    const left = service.agent("assistant").run("Hi").catch(String)
    await service.advance("1 second")
    await service.close()
    await service.close()
    assert.strictEqual(await left, "Error: The service of the test is closed")
    assert.strictEqual(await service.fetch("/health").catch(String), "Error: The service of the test is closed")
  })

  it("a service that cannot start rejects at once", async () => {
    const twice = [assistantOf(scriptedModel([])), assistantOf(scriptedModel([]))]
    assert.match(await testService({ agents: twice }).then(() => "started", String), /assistant/)
  })

  it("limits are those of a service: a run beyond one is refused, or waits", async () => {
    const agents = () => [assistantOf(scriptedModel([[delay("10 seconds"), text("One.")], "Two."]))]
    const limits = { component: { runsAtOnce: 1 } }
    const both = (service: TestService) => {
      const assistant = service.agent("assistant")
      return service.until(Promise.allSettled([assistant.run("First"), assistant.run("Second")]))
    }
    await using refusing = await testService({ agents: agents(), limits })
    assert.deepInclude((await both(refusing))[1], { status: "rejected" })
    await using queueing = await testService({ agents: agents(), limits: { ...limits, whenExceeded: "queue" } })
    const ended = await both(queueing)
    const answers = ended.map((each) => each.status === "fulfilled" ? each.value.content : each.reason)
    assert.deepStrictEqual(answers, ["One.", "Two."])
  })

  it("authorization is that of a service, and the token is the caller", async () => {
    await using open = await testService({ authorization: { securityKey: "a-key-of-32-characters-for-tests" } })
    assert.strictEqual((await open.fetch("/agents")).status, 401)
    await using known = await testService({
      authorization: { securityKey: "a-key-of-32-characters-for-tests" },
      token: "a-key-of-32-characters-for-tests"
    })
    assert.deepStrictEqual(await known.client.agents.list(), [])
  })
})

describe("its time", () => {
  it("the time stands still until it is moved", async () => {
    await using service = await testService({ startAt: "2030-05-05T05:05:05Z" })
    assert.strictEqual(service.now().toISOString(), "2030-05-05T05:05:05.000Z")
    await service.advance("5 minutes")
    assert.strictEqual(service.now().toISOString(), "2030-05-05T05:10:05.000Z")
  })

  it("the time moves forward by a finite duration", async () => {
    await using service = await testService()
    for (const duration of ["-1 hours", NaN, Infinity] as const) {
      const refused = await service.advance(duration).catch(String)
      assert.include(String(refused), "The time of a service: what advance() adds must be")
    }
  })

  it("a delay of the model lasts for its time, and stored times show it", async () => {
    const agent = assistantOf(scriptedModel([[delay("20 seconds"), text("Late.")]]))
    await using service = await testService({ agents: [agent] })
    const running = service.agent("assistant").run("Hi")
    await service.advance("19 seconds")
    assert.strictEqual(await Promise.race([running, Promise.resolve("running")]), "running")
    await service.advance("1 second")
    const { content, output } = await running
    assert.strictEqual(content, "Late.")
    assert.strictEqual(output.metrics?.duration, 20)
  })

  it("a time limit of a run ends it when its time has passed", async () => {
    const agent = assistantOf(scriptedModel([delay("1 hour")]), { runTimeout: "30 seconds" })
    await using service = await testService({ agents: [agent] })
    const run = await service.until(service.agent("assistant").run("Hi"))
    assert.strictEqual(run.status, "ERROR")
    assert.strictEqual(service.now().toISOString(), "2026-01-01T00:00:30.000Z")
  })

  it("a promise that the service does not settle is an error after an hour of its time", async () => {
    await using service = await testService()
    const waiting = service.until(Promise.withResolvers().promise, "10 minutes").catch(String)
    assert.strictEqual(await waiting, "Error: The promise was not settled within 10m of the test's time")
  })

  it("a schedule fires when its time has come", async () => {
    await using service = await testService({ agents: [assistantOf(scriptedModel(["Morning."]))] })
    await service.client.schedules.create({
      name: "daily",
      cron_expr: "0 9 * * *",
      endpoint: "/agents/assistant/runs",
      payload: { message: "Report" }
    })
    await service.advance("539 minutes")
    assert.lengthOf((await service.client.sessions.list()).data, 0)
    await service.advance("1 minute")
    assert.lengthOf((await service.client.sessions.list()).data, 1)
  })

  it("a tool that is tried again waits by the time of the service", async () => {
    let calls = 0
    const flaky = Tool.make({
      name: "flaky",
      effects: "read",
      retries: 1,
      delayBetweenRetries: "10 minutes",
      execute: () => {
        if (++calls === 1) throw new Error("Not now")
        return "now"
      }
    })
    const agent = assistantOf(scriptedModel([toolCall("flaky"), "Done."]), { tools: [flaky] })
    await using service = await testService({ agents: [agent] })
    const run = await service.until(service.agent("assistant").run("Hi"))
    assertToolCalls(run, [{ name: "flaky", result: "now" }])
    assert.strictEqual(service.now().toISOString(), "2026-01-01T00:10:00.000Z")
  })
})

describe("models of a test", () => {
  const orders = Agent.make({ id: "orders", model: "anthropic:claude-sonnet-4-5" })
  const greeter = Agent.make({ id: "greeter" })

  it("agents without a model have the scripted one", async () => {
    const model = scriptedModel(["Good day.", "Good evening."])
    await using service = await testService({ agents: [greeter], model })
    const run = await service.run(greeter, "Hello")
    assertCompleted(run)
    assert.strictEqual(run.content, "Good day.")
    const events: Array<string> = []
    for await (const { event } of service.stream(greeter, "Hello again")) events.push(event)
    assert.strictEqual(events.at(-1), "RunCompleted")
    assert.strictEqual(model.remaining, 0)
  })

  it("single agents have a scripted model instead of their own, also as members, steps and tools", async () => {
    const leader = scriptedModel([toolCall("delegate_task_to_member", { member_id: "orders", task: "Look" }), "Good."])
    const team = Team.make({ id: "desk", model: "openai:gpt-5", members: [orders] })
    const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent: orders })] })
    const model = scriptedModel(["One.", "Two.", "Three."])
    await using service = await testService({
      agents: [orders],
      teams: [team],
      workflows: [flow],
      models: { orders: model, desk: leader }
    })
    assert.strictEqual((await service.run(orders, "x")).content, "One.")
    assert.strictEqual((await service.run(team, "x")).content, "Good.")
    assert.strictEqual((await service.run(flow, "x")).content, "Three.")
    assert.strictEqual(orders.model, "anthropic:claude-sonnet-4-5")
  })

  it("agents that only functions of tools and steps run, and generate(), have the models of the test too", async () => {
    const review = Tool.make({
      name: "review",
      execute: async (_, { asEffect, generate, run }) => {
        const { content } = await run(orders, "Look")
        const { content: again } = await Effect.runPromise(asEffect.run(orders, "Again"))
        return [content, again, await generate({ prompt: "Rate it", model: "openai:gpt-5" })]
      }
    })
    const clerk = Agent.make({ id: "clerk", tools: [review] })
    const flow = Workflow.make({
      id: "flow",
      steps: [async ({ generate, run }: StepInput) => {
        const { content } = await run(clerk, "Look")
        return [content, await generate({ prompt: "Rate it" })]
      }]
    })
    const models = () => ({
      orders: scriptedModel(["One.", "Two."]),
      clerk: scriptedModel([toolCall("review"), "Reviewed."]),
      generate: scriptedModel(["Good.", "Better."])
    })
    await using service = await testService({ agents: [clerk], models: models() })
    assertToolCalls(await service.run(clerk, "x"), [{
      name: "review",
      result: JSON.stringify(["One.", "Two.", "Good."])
    }])
    await using other = await testService({ workflows: [flow], models: models() })
    assert.deepEqual((await other.run(flow, "x")).content, ["Reviewed.", "Better."])
    const whole = Workflow.make({
      id: "whole",
      run: async ({ asEffect, generate, run }: StepInput) => {
        const { content } = await run(orders, "Look")
        const { content: again } = await Effect.runPromise(asEffect.run(orders, "Again"))
        return [content, again, await generate({ prompt: "Rate it" })]
      }
    })
    await using third = await testService({ workflows: [whole], models: models() })
    assert.deepEqual((await third.run(whole, "x")).content, ["One.", "Two.", "Good."])
    const misspelt = await testService({ agents: [clerk], models: { clrek: "fixed" } }).catch(String)
    assert.include(String(misspelt), "models names 'clrek', and no agent or team has this id. There are: 'clerk'.")
  })

  it("a default model refuses what the provider that it stands for refuses", async () => {
    const model = scriptedModel(["Hello."], { as: "anthropic:claude-sonnet-4-5" })
    await using service = await testService({ agents: [greeter], model })
    const run = await service.run(greeter, "Hello")
    assertCompleted(run)
    const [details] = await service.client.agents.list()
    assert.strictEqual(details?.model?.model, "claude-sonnet-4-5")
  })

  it("the transcript of a model has what it was sent, and nothing that changes from run to run", async () => {
    const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Sunny."])
    const assistant = Agent.make({ id: "assistant", instructions: "Be brief.", tools: [weather] })
    await using service = await testService({ agents: [assistant], model })
    await service.run(assistant, "How is the weather?")
    assert.deepStrictEqual(model.transcript.split("\n"), [
      "# Request 1",
      "system: Be brief.",
      "user: How is the weather?",
      "tools: weather",
      "",
      "# Request 2",
      "system: Be brief.",
      "user: How is the weather?",
      "assistant: → weather {\"city\":\"Paris\"}",
      "tool: weather → It is sunny in Paris",
      "tools: weather",
      ""
    ])
  })

  it.each([
    [{ model: 5 }, "testService: model is no model. Give it a scripted one"],
    [{ model: "gpt-5" }, "testService: model cannot be used. Unknown model 'gpt-5'"],
    [{ models: { orders: {} } }, "testService: models.orders is no model"],
    [{ models: { ordres: "fixed" } }, "models names 'ordres', and no agent or team has this id. There are: 'orders'."],
    [
      { authorization: { enable: true } },
      "testService: authorization: there is no option 'enable'. Did you mean 'enabled'?"
    ],
    [{ mcp: { oauth: {} } }, "testService: mcp: there is no option 'oauth'."],
    [{ knowledge: ["x"] }, "testService: knowledge[0] must be a knowledge base, and is the text 'x'."],
    [{ agent: [] }, "testService: there is no option 'agent'. Did you mean 'agents'?"]
  ])("a wrong option fails with a sentence: %j", async (options, sentence) => {
    const error = await testService({ agents: [orders], ...options } as never).then(() => undefined, (e: unknown) => e)
    assert.include(String(error), sentence)
  })
})
