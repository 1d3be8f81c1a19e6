// What functions of other libraries read in their context, and instructions whose function throws.
import { Agent, Step, Tool, Workflow } from "@svc-runtime/server"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { assertCompleted, scriptedModel, testService, toolCall } from "../src/index.ts"

type Read = (context: Record<string, never>) => unknown

const inTool = async (read: Read) => {
  const tools = [Tool.make({ name: "t", execute: (_, context) => read(context as never) as never })]
  const model = scriptedModel([toolCall("t", {}), "Done."])
  await using service = await testService({ agents: [Agent.make({ id: "a", model, tools })] })
  return (await service.agent("a").run("Go")).toolCalls[0]?.result
}

const inStep = async (read: Read) => {
  const steps = [Step.make({ name: "s", run: (context) => read(context as never) as never })]
  await using service = await testService({ workflows: [Workflow.make({ id: "w", steps })] })
  return (await service.workflow("w").run("Go")).content
}

const dependencies = "Read dependencies or metadata"
const asks = "Ask with await pause({ question: … }), which gives the answer"

describe("a context of another library", () => {
  it.each<[string, string]>([
    ["requestContext", dependencies],
    ["runtimeContext", dependencies],
    ["mastra", "Import the component, and write run(component, input)"],
    ["suspend", asks],
    ["abortSignal", "Write signal"],
    ["configurable", "The ids are sessionId, userId and runId"],
    ["agent", "Its id is agentId. Ask a person with await pause({ question: … })"]
  ])("a tool that reads a name of it reads what to write: %s", async (name, todo) => {
    assert.strictEqual(await inTool((context) => context[name]), `The context of tool 't' has no '${name}'. ${todo}`)
  })

  it.each(["context", "inputData"])(
    "a tool that takes its arguments from a field of them reads what to write: %s",
    async (name) => {
      const seen: Array<unknown> = []
      const tools = [
        Tool.make({
          name: "t",
          parameters: z.object({ city: z.string() }),
          execute: (args: Record<string, unknown>) => {
            seen.push({ ...args }, JSON.stringify(args))
            assert.deepStrictEqual(args, { city: "Rome" })
            return args[name] as never
          }
        })
      ]
      const model = scriptedModel([toolCall("t", { city: "Rome" }), "Done."])
      await using service = await testService({ agents: [Agent.make({ id: "a", model, tools })] })
      assert.strictEqual(
        (await service.agent("a").run("Go")).toolCalls[0]?.result,
        `The arguments of tool 't' have no '${name}'. The arguments are the first parameter itself: ({ a, b }, ` +
          "{ sessionId }) => …"
      )
      assert.deepStrictEqual(seen, [{ city: "Rome" }, `{"city":"Rome"}`])
    }
  )

  it.each<[string, object, string]>([
    ["given", { context: "here" }, "here"],
    ["left out", {}, "nothing"]
  ])("an argument of such a name is read: %s", async (_, args, result) => {
    const parameters = z.object({ context: z.string().optional() })
    const execute = (args: { readonly context?: string | undefined }) => args.context ?? "nothing"
    const tools = [Tool.make({ name: "t", parameters, execute })]
    const model = scriptedModel([toolCall("t", args), "Done."])
    await using service = await testService({ agents: [Agent.make({ id: "a", model, tools })] })
    assert.strictEqual((await service.agent("a").run("Go")).toolCalls[0]?.result, result)
  })

  it.each<[string, string]>([
    ["inputData", "Write input"],
    ["getStepResult", "Write outputOf(…) with a step or its name"],
    ["getInitData", "Write workflowInput"],
    ["setState", "Read and change the fields of sessionState"],
    ["bail", "Return StepResult.make({ content: …, stop: true })"],
    ["suspend", asks]
  ])("a step that reads a name of it fails with what to write: %s", async (name, todo) => {
    assert.strictEqual(await inStep((context) => context[name]), `The context of step 's' has no '${name}'. ${todo}`)
  })

  it("foreign names are no properties that a context is copied by, and a function can set its own", async () => {
    const copied = await inTool((context) => {
      const copy = { ...context }
      Object.assign(context, { state: "own" })
      return [Object.keys(copy).includes("mastra"), copy["mastra"] === undefined, context["state"]]
    })
    assert.strictEqual(copied, JSON.stringify([false, true, "own"]))
  })
})

describe("instructions whose function throws", () => {
  it.each<[string, Read, string]>([
    ["a name of another library", ({ requestContext }) => requestContext, `has no 'requestContext'. ${dependencies}`],
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
