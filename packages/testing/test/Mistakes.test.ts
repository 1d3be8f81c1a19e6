// Mistakes in tests of agents: each is one sentence that says what to do.
import { approve } from "@svc-runtime/client"
import { Agent, AgentFactory, Condition, Local, Loop, Tool, Workflow } from "@svc-runtime/server"
import { afterAll, assert, describe, it } from "vitest"
import {
  assertCompleted,
  assertEvents,
  assertToolCalls,
  delay,
  failStatus,
  object,
  reasoning,
  recordedModel,
  scriptedModel,
  type TestRun,
  testService,
  text,
  timeOut,
  toolCall,
  usage
} from "../src/index.ts"

const a = Agent.make({ id: "a" })

const messageOf = async (make: () => unknown): Promise<string> => {
  try {
    await make()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return "nothing was refused"
}

describe("mistakes in tests", () => {
  afterAll(Local.close)

  it("a run of what is no component, has no message or is not in the service says what to write", async () => {
    await using service = await testService({ agents: [a], model: ["Hello."] })
    const run = service.run as (...given: ReadonlyArray<unknown>) => Promise<TestRun>
    for (
      const [given, message] of [
        [
          ["a", "x"],
          "run() takes an agent, a team or a workflow, and was given the text 'a'. Write service.agent(\"a\").run(…)"
        ],
        [
          [AgentFactory.make({ id: "f", build: () => a }), "x"],
          "run() takes an agent, a team or a workflow, and was given a factory. Write service.agent(\"f\").run(…)"
        ],
        [
          [a, [{ role: "user", content: "x" }]],
          "A run takes one message, and was given a list. Give it the text of the last one: the session has those before it"
        ],
        [[undefined, "x"], "run() takes an agent, a team or a workflow, and was given undefined"],
        [
          [Agent.make({ id: "b" }), "x"],
          "Agent not found: 'b'. The service has 'a'. GET /agents lists all. Add it to the " +
          "agents of testService, or to what its steps and tools run"
        ],
        [
          [a, "x", { session_id: "s" }],
          "run() takes a component and its input, and was given an object with session_id too. Write the fields of a " +
          "run beside its message: { message: …, session_id: … }"
        ],
        [[a], "The run has no message. Give it a text, or an object: { message: … }"],
        [
          [a, { prompt: "x" }],
          "The run has no message. It is in 'prompt': write message in its place, or around it if it is a " +
          "field of the input: { message: { prompt: … } }"
        ],
        [
          [a, { inputData: { city: "Bonn" }, session_id: "s" }],
          "The run has no message. It is in 'inputData': write message in its place, or around it if it is a " +
          "field of the input: { message: { inputData: … } }"
        ],
        [
          [a, { city: "Bonn" }],
          "The run has no message. An input of several fields is an object in it: { message: { … } }"
        ]
      ] as const
    ) {
      assert.strictEqual(await messageOf(() => run(...given)), message)
    }
  })

  it("the answer of a run without await is refused, of a service of a test and of a program", async () => {
    const local = Agent.make({ id: "local", model: "fixed" })
    const check = async (run: Promise<unknown>, further: ReadonlyArray<string> = []) => {
      for (const name of ["content", "text", "toolCalls", "approve", ...further]) {
        assert.strictEqual(await messageOf(() => Reflect.get(run, name)), "The run is a promise. Write await before it")
      }
    }
    const service = await testService({ agents: [a], model: ["Hello."] })
    const runs = [service.run(a, "Hi"), service.agent("a").run("Hi")]
    for (const run of runs) await check(run, ["status"])
    assert.deepStrictEqual((await Promise.all(runs)).map(({ status }) => status), ["COMPLETED", "ERROR"])
    await service.close()
    const run = local.run("Hi")
    await check(run)
    assert.strictEqual((await run).status, "COMPLETED")
  })

  it("a component's own run asks no model while a service of a test is open, and names what to write", async () => {
    const real = scriptedModel(["The provider.", "The provider."])
    const mechanic = Agent.make({ id: "mechanic", model: real })
    const ask = Tool.make({ name: "ask", execute: async () => (await mechanic.run("A flat tyre")).text })
    const desk = Agent.make({ id: "desk", tools: [ask] })
    const flow = Workflow.make({
      id: "flow",
      steps: [async () => {
        for await (const text of mechanic.stream("A flat tyre").textStream) return text
        return "nothing"
      }]
    })
    const open = "a testService is open, and a run outside of it does not have the models of the test"
    const refusal = (method: string) =>
      `Agent 'mechanic': ${open}. In a function of a tool or a step write run(mechanic, …) with the run of its ` +
      `context, and in the test service.${method}(mechanic, …)`
    const options = { agents: [desk], models: { mechanic: ["The script."] }, workflows: [flow] }
    const [service, other] = await Promise.all([
      testService({ ...options, model: [toolCall("ask"), "Done."] }),
      testService({ agents: [mechanic] })
    ])
    const answer = await service.run(desk, "Help")
    assert.include(JSON.stringify(answer.toolCalls[0]), refusal("run"))
    assert.include(String((await service.run(flow, "Help")).content), refusal("stream"))
    assert.strictEqual(await messageOf(() => mechanic.run("Help")), refusal("run"))
    const paused = { run_id: "r", session_id: "s" }
    assert.strictEqual(
      await messageOf(() => mechanic.continue(paused, {})),
      `Agent 'mechanic': ${open}. Write service.client.agent("mechanic").continue(…)`
    )
    assert.strictEqual(
      await messageOf(() => flow.run("Help")),
      `Workflow 'flow': ${open}. In a function of a tool or a step write run(flow, …) with the run of its context, ` +
        "and in the test service.run(flow, …)"
    )
    assert.strictEqual(await messageOf(() => Local.client()), `Local.client: ${open}. Write service.client`)
    assert.lengthOf(real.requests, 0)
    await service.close()
    assert.strictEqual(await messageOf(() => mechanic.run("Help")), refusal("run"))
    await other.close()
    assert.notStrictEqual(await messageOf(() => testService({ agents: [a, a] })), "nothing was refused")
    assert.strictEqual((await mechanic.run("Help")).text, "The provider.")
  })

  it.each<readonly [name: string, run: (context: Tool.ToolContext, helper: object) => unknown, sentence: string]>([
    ["a Map", ({ run }, helper) => run(helper as never, new Map() as never), "it is an object of the class Map"],
    [
      "a Map in a field",
      ({ run }, helper) => run(helper as never, { cart: new Map() } as never),
      "'cart' is an object of the class Map"
    ],
    ["nothing", ({ run }, helper) => run(helper as never, undefined as never), "it is undefined"]
  ])("an input of run() in a function that is no JSON is refused with its place: %s", async (_, run, problem) => {
    const helper = Agent.make({ id: "helper" })
    const tool = Tool.make({ name: "ask", execute: (_, context) => run(context, helper) })
    const asking = Agent.make({ id: "asking", tools: [tool] })
    const models = { asking: [toolCall("ask"), "Done."] }
    await using service = await testService({ agents: [asking, helper], model: ["Hi."], models })
    const [call] = (await service.run(asking, "Go")).toolCalls
    assert.strictEqual(
      call?.result,
      `Tool 'ask': the input of run() is no JSON: ${problem}. Give it texts, numbers, booleans, null, and lists and ` +
        "objects of these"
    )
  })

  it("an id in the place of the component of run() is refused in a function, too", async () => {
    const tool = Tool.make({ name: "ask", execute: (_, { run }) => run("a" as never, "Hi") })
    const asking = Agent.make({ id: "asking", tools: [tool] })
    await using service = await testService({ agents: [asking], model: [toolCall("ask"), "Done."] })
    const [call] = (await service.run(asking, "Go")).toolCalls
    assert.strictEqual(
      call?.result,
      "Tool 'ask': run() takes an agent, a team or a workflow, and was given the text 'a'. Give it the component itself"
    )
  })

  it("what JSON loses of the session state is logged once, with its place", async () => {
    const tool = Tool.make({
      name: "fill",
      execute: (_, { sessionState }) =>
        void Object.assign(sessionState, { shop: { cart: new Map([["tea", 1]]) }, at: 1 })
    })
    const shop = Agent.make({ id: "shop", tools: [tool] })
    await using service = await testService({ agents: [shop], model: [toolCall("fill"), "Done."] })
    const run = await service.run(shop, { message: "Fill", session_id: "s" })
    assert.deepStrictEqual(run.problems.map(({ message }) => message), [
      "'cart' of the session state is an object of the class Map, of which JSON has nothing: {} is stored. Write an " +
      "object or a list in its place"
    ])
  })

  it.each<readonly [make: () => unknown, sentence: string]>([
    [
      () => toolCall({ name: "t" } as never),
      "The name that toolCall() is given must be a text, and is an object with name. Write toolCall(\"name\", { … })"
    ],
    [
      () => text({ a: 1 } as never),
      "What text() is given must be texts, and is an object with a. Write object({ … }) for structured output"
    ],
    [() => reasoning("a", 5 as never), "What reasoning() is given must be texts, and is the number 5"],
    [
      () => object("x" as never),
      "What object() is given must be an object, and is the text 'x'. Write it as a turn, without object()"
    ],
    [
      () => usage(5 as never),
      "What usage() is given must be an object, and is the number 5. Write usage({ input: …, output: … })"
    ],
    [() => failStatus("429" as never), "The status of failStatus() must be a number, and is the text '429'"],
    [
      () => failStatus(429, "slow" as never),
      "The options of failStatus() must be an object, and is the text 'slow'. Write { message: … }"
    ],
    [
      () => delay("soon" as never),
      "delay(): its length must be a length of time, such as \"2 seconds\" or a number of milliseconds"
    ],
    [
      () => timeOut({} as never),
      "timeOut(): its limit must be a length of time, such as \"2 seconds\" or a number of milliseconds"
    ],
    [
      () => recordedModel("a.json" as never),
      "What recordedModel() is given must be an object, and is the text 'a.json'. Write recordedModel({ file: …, model: … })"
    ],
    [
      () => recordedModel({ file: "a.json" } as never),
      "The model of recordedModel() must be an object, and is undefined. Is it exported under this name, and defined " +
      "before it is used?"
    ],
    [
      () => assertCompleted("COMPLETED" as never),
      "What is looked at must be a run, as run() returns it, and is the text 'COMPLETED'"
    ]
  ])("a value of another kind is refused when it is given: %#", async (make, sentence) => {
    assert.strictEqual(await messageOf(make), sentence)
  })

  it("methods of other libraries are refused by what a test has, and a request takes a path", async () => {
    await using service = await testService({ agents: [a], model: ["Hello."] })
    for (
      const [owner, name] of [[service, "The service of a test"], [service.agent("a"), "service.agent(…)"]] as const
    ) {
      assert.strictEqual(
        await messageOf(() => Reflect.apply(Reflect.get(owner, "generate"), owner, ["Hi"])),
        `${name} has no method 'generate'. Write run(…), or stream(…) for its events`
      )
      assert.notInclude(Object.keys({ ...owner }), "generate")
    }
    assert.strictEqual(
      await messageOf(() => service.fetch({ path: "/agents" } as never)),
      "What fetch() sends a request to must be a path, such as \"/agents\", and is an object with path"
    )
    const run = await service.run(a, "Hi")
    assert.strictEqual(
      await messageOf(() => assertToolCalls(run, [{ tool: "t" }] as never)),
      "The expected call [0] must be the name of a tool, or an object with the name, and is an object with tool"
    )
  })

  it("a run is cancelled by the client, which says nothing more, and ends with the status CANCELLED", async () => {
    const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
    const clerk = Agent.make({ id: "clerk", tools: [pay] })
    const model = [[delay("10 minutes"), text("Late.")], toolCall("pay")]
    await using service = await testService({ agents: [clerk], model })
    const component = service.client.agent("clerk")
    const running = service.run(clerk, { message: "Wait", session_id: "s" })
    const begun = () => component.list("s").catch(() => [])
    await service.until(async () => (await begun()).length > 0)
    const [first] = await begun()
    assert.strictEqual(first?.status, "RUNNING")
    assert.isUndefined(await component.cancel(first as never))
    assert.strictEqual((await service.until(running)).status, "CANCELLED")
    const paused = await service.run(clerk, "Pay")
    assert.strictEqual(
      await messageOf(() => component.cancel(paused as never)),
      "This is a run of a test. Write .output after it"
    )
    assert.isUndefined(await component.cancel(paused.output))
    assert.strictEqual((await component.get(paused.output)).status, "CANCELLED")
  })

  it("expected calls and events that are no list are refused", async () => {
    await using service = await testService({ agents: [a], model: ["Hello."] })
    const run = await service.run(a, "Hi")
    assert.strictEqual(
      await messageOf(() => assertToolCalls(run, "weather" as never)),
      "The calls that assertToolCalls() expects must be a list, and is the text 'weather'. Write [ … ] around it"
    )
    assert.strictEqual(
      await messageOf(() => assertEvents(run, "RunCompleted" as never)),
      "The events that assertEvents() expects must be a list, and is the text 'RunCompleted'. Write [ … ] around it"
    )
  })

  it("models of the test are turns too, and a turn that is none is refused", async () => {
    const other = Agent.make({ id: "other", model: "openai:gpt-5" })
    await using service = await testService({ agents: [a, other], model: ["Tea."], models: { other: ["Coffee."] } })
    assert.strictEqual((await service.run(a, "Hi")).content, "Tea.")
    assert.strictEqual((await service.run(other, "Hi")).content, "Coffee.")
    assert.match(
      await messageOf(() => testService({ agents: [a], model: [5] as never })),
      /^A step of scriptedModel\(\) must be made by text\(\), toolCall\(\)/
    )
    assert.strictEqual(
      await messageOf(() => testService({ agents: [a], model: "Take your sunglasses." })),
      "testService: model is a text with spaces, and no name of a model. Write [ … ] around it, if it is what the model " +
        "answers"
    )
  })

  it("what is waited for and decided about has to be a promise and a run", async () => {
    await using service = await testService({ agents: [a], model: ["Hello."] })
    const until = service.until as (awaited: unknown) => Promise<unknown>
    assert.strictEqual(
      await messageOf(() => until(true)),
      "What until() waits for must be a promise or a function, and is the boolean true"
    )
    assert.strictEqual(
      await messageOf(() => approve("id" as never)),
      "A decision is about a run, not its id. Read it with get(run)"
    )
    assert.match(await messageOf(() => service.agent("a").run({ messages: [] } as never)), /^A run takes one message/)
  })

  it("a confirmation whose function fails is logged with what it threw", async () => {
    const pay = Tool.make({
      name: "pay",
      execute: () => "paid",
      requiresConfirmation: () => {
        throw new Error("no rates")
      }
    })
    const clerk = Agent.make({ id: "clerk", tools: [pay] })
    await using service = await testService({ agents: [clerk], model: [toolCall("pay"), "Done."] })
    const paused = await service.run(clerk, "Pay")
    assert.strictEqual(paused.status, "PAUSED")
    const [problem] = paused.problems
    assert.strictEqual(problem?.message, "A call waits for a confirmation, because requiresConfirmation failed")
    assert.match(problem?.cause ?? "", /no rates/)
  })

  it.each([
    ["Condition", Condition.make({ name: "c", evaluator: (() => {}) as never, steps: [() => 1] })],
    ["Loop", Loop.make({ name: "c", endCondition: (() => {}) as never, steps: [() => 1] })]
  ])("the function of a %s that gives nothing ends the run with the reason", async (_, node) => {
    const flow = Workflow.make({ id: "flow", steps: [node] })
    await using service = await testService({ workflows: [flow] })
    const run = await service.run(flow, "Hi")
    assert.strictEqual(run.status, "ERROR")
    assert.include(String(run.content), "The function of 'c' gave nothing, and has to give true or false. Is a return")
  })
})
