// What functions of other libraries read in their context, and instructions whose function throws.
import { Agent, Step, Tool, Workflow } from "@svc-runtime/server"
import { Equal } from "effect"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { assertCompleted, scriptedModel, testService, toolCall } from "../src/index.ts"

/** A context, or arguments, with names that no type has. */
type Foreign = any // oxlint-disable-line typescript/no-explicit-any -- names that no type has
type Reading = (args: Foreign, context: Foreign) => unknown
type Read = (context: Foreign) => unknown

const inTool = async (read: Reading) => {
  const tools = [Tool.make({ name: "t", execute: read as never })]
  const model = scriptedModel([toolCall("t", {}), "Done."])
  await using service = await testService({ agents: [Agent.make({ id: "a", model, tools })] })
  return (await service.agent("a").run("Go")).toolCalls[0]?.result
}

const inStep = async (read: Read) => {
  const steps = [Step.make({ name: "s", run: read as never })]
  await using service = await testService({ workflows: [Workflow.make({ id: "w", steps })] })
  return (await service.workflow("w").run("Go")).content
}

const ofArguments = async (read: Read, parameters: z.ZodType = z.object({ city: z.string() })) => {
  const tools = [Tool.make({ name: "t", parameters, execute: read as never })]
  const model = scriptedModel([toolCall("t", { city: "Rome" }), "Done."])
  await using service = await testService({ agents: [Agent.make({ id: "a", model, tools })] })
  return (await service.agent("a").run("Go")).toolCalls[0]?.result
}

const dependencies = "Read dependencies or metadata"
const asks = "Ask with await pause({ question: … }), which gives the answer"

describe("a context of another library", () => {
  it.each<[string, Reading, string]>([
    ["requestContext", (_, context) => context.requestContext.get("x"), dependencies],
    ["runtimeContext", (_, context) => context.runtimeContext.get("x"), dependencies],
    ["mastra", async (_, { mastra }) => mastra.getAgent("b"), "Import the component, and write run(component, input)"],
    ["suspend", (_, { suspend }) => suspend({}), asks],
    ["abortSignal", (_, { abortSignal }) => abortSignal.aborted, "Write signal"],
    ["configurable", (_, { configurable: { id } }) => id, "The ids are sessionId, userId and runId"],
    [
      "agent",
      (_, context) => context.agent.suspend(),
      "Its id is agentId. Ask a person with await pause({ question: … })"
    ]
  ])("a tool that reads a name of it reads what to write: %s", async (name, read, todo) => {
    assert.include(await inTool(read), `. The context of tool 't' has no '${name}'. ${todo}`)
  })

  const reads: ReadonlyArray<[string, Read]> = [
    ["context", ({ context }) => context.city],
    ["context", ({ context: { city } }) => city],
    ["inputData", async (args) => {
      const { city } = args.inputData
      return city
    }]
  ]

  it.each(reads)("a tool that takes its arguments from a field of them reads what to write: %s", async (name, read) => {
    assert.include(
      await ofArguments(read),
      `. The arguments of tool 't' have no '${name}'. The arguments are the first parameter itself: ({ a, b }, ` +
        "{ sessionId }) => …"
    )
  })

  it("an argument of such a name that the model left out is not taken for one of another library", async () => {
    const parameters = z.object({ context: z.object({ city: z.string() }).optional() })
    assert.strictEqual(
      await ofArguments(({ context }) => context.city, parameters),
      "Cannot read properties of undefined (reading 'city')"
    )
  })

  it("the arguments of a tool are what their schema gave, and nothing else", async () => {
    const shared = { city: "Rome" }
    const parameters = z.object({ city: z.string() }).transform(() => shared)
    const read = (args: Foreign) => `${Equal.equals(args, { city: "Rome" })} ${args.context ?? "none"}`
    assert.strictEqual(await ofArguments(read, parameters), "true none")
    assert.deepStrictEqual(Reflect.ownKeys(shared), ["city"])
  })

  it.each<[string, Read, string]>([
    ["inputData", ({ inputData }) => inputData.city, "Write input"],
    ["getStepResult", ({ getStepResult }) => getStepResult("a"), "Write outputOf(…) with a step or its name"],
    ["getInitData", (context) => context.getInitData(), "Write workflowInput"],
    ["setState", ({ setState }) => setState({}), "Read and change the fields of sessionState"],
    ["bail", ({ bail }) => bail("x"), "Return StepResult.make({ content: …, stop: true })"],
    ["suspend", async ({ suspend }) => suspend({}), asks]
  ])("a step that reads a name of it fails with what to write: %s", async (name, read, todo) => {
    assert.include(await inStep(read), `. The context of step 's' has no '${name}'. ${todo}`)
  })

  it("code that asks whether a name is there, or that sets it, works", async () => {
    const read = (context: Foreign) => {
      const { state = { own: true } } = context
      const id = context.agent?.id ?? context.agentId
      const isThere = "mastra" in context
      Object.assign(context, { deps: "own" })
      return [state, id ?? null, context.requestContext ?? "none", isThere, context.deps]
    }
    assert.strictEqual(
      await inTool((_, context) => read(context)),
      JSON.stringify([{ own: true }, "a", "none", false, "own"])
    )
    assert.deepStrictEqual(await inStep(read), [{ own: true }, null, "none", false, "own"])
  })

  it("other errors stay as they are", async () => {
    const read: Reading = (_, { state }) => (state ?? {}).rows.length
    assert.strictEqual(await inTool(read), "Cannot read properties of undefined (reading 'length')")
  })
})

describe("instructions whose function throws", () => {
  it.each<[string, Read, string]>([
    [
      "a name of another library",
      ({ requestContext }) => requestContext.get("x"),
      `has no 'requestContext'. ${dependencies}`
    ],
    ["an error", () => {
      throw new Error("no prices")
    }, "threw: no prices"]
  ])("the log names the agent, its instructions and the error: %s", async (_, instructions, sentence) => {
    const agent = Agent.make({ id: "a", model: scriptedModel(["Hi"]), instructions: instructions as never })
    await using service = await testService({ agents: [agent] })
    const run = await service.agent("a").run("Go")
    assert.strictEqual(run.status, "ERROR")
    const [problem] = run.problems
    assert.include(problem?.cause, "The function of instructions of agent 'a' threw: ")
    assert.include(problem?.cause, sentence)
  })

  it("a context has the data of the request", async () => {
    const agent = Agent.make({
      id: "a",
      model: scriptedModel(["Hi"]),
      instructions: ({ agentId, dependencies }) => `${agentId} ${String(dependencies["tenant"])}`
    })
    await using service = await testService({ agents: [agent] })
    assertCompleted(await service.agent("a").run({ message: "Go", dependencies: { tenant: "acme" } }))
  })
})
