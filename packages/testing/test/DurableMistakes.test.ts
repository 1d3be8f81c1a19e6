// Inputs of run(), and durable calls without await, in tools and in functions of steps.
import type * as Json from "@svc-runtime/domain/Json"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import { Agent, Step, Tool, Workflow } from "@svc-runtime/server"
import { Equal, HashSet } from "effect"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { scriptedModel, testService, toolCall } from "../src/index.ts"

type Calling = (durable: Pick<Durable, "generate" | "run" | "step">) => unknown

const helperOf = (options = {}) => Agent.make({ id: "helper", model: scriptedModel(["Ok.", "Ok."]), ...options })

/** What a tool and a step give, or why they fail. */
const ends = async (call: Calling) => {
  const tools = [Tool.make({ name: "t", execute: (_, context) => call(context) as never })]
  await using service = await testService({
    agents: [Agent.make({ id: "a", model: scriptedModel([toolCall("t", {}), "Done."]), tools })],
    workflows: [
      Workflow.make({ id: "w", steps: [Step.make({ name: "s", run: (context) => call(context) as never })] })
    ],
    model: Array.from({ length: 9 }, () => "Done.")
  })
  const ofTool = (await service.agent("a").run("Go")).toolCalls[0]?.result
  return [ofTool, String((await service.workflow("w").run("Go")).content)]
}

const areThere = async (call: Calling, sentence: string) => {
  for (const end of await ends(call)) assert.include(end, sentence)
}

const request = "run() takes a component and its input, and was given a request. Write run(component, message)"
const messages = "run() takes a component and its input, and was given a list of messages. Give it the text of the last"

describe("the input of run() in a function", () => {
  it("a request and a list of messages are refused", async () => {
    const helper = helperOf()
    await areThere(({ run }) => run(helper, { message: "Hi", session_id: "s" }), request)
    await areThere(({ run }) => run(helper, { message: "Hi" }), request)
    await areThere(({ run }) => run(helper, [{ role: "user", content: "Hi" }]), messages)
    await areThere(
      ({ run }) => Reflect.apply(run, undefined, [helper]),
      "the input of run() is no JSON: it is undefined"
    )
  })

  it("fields of an input schema, other objects and other lists are inputs", async () => {
    const helper = helperOf({ inputSchema: z.object({ message: z.string() }) })
    await areThere(({ run }) => run(helper, { message: "Hi" }).then(({ content }) => content), "Ok.")
    const inputs = [{ message: "Hi", urgency: 1 }, ["a", "b"], []]
    for (const input of inputs) {
      await areThere(({ run }) => run(helperOf(), input).then(({ content }) => content), "Ok.")
    }
  })
})

describe("the input of run() with a workflow", () => {
  it.each<[string, Json.Value]>([
    ["a notification", { message: "Hi", user_id: "u" }],
    ["a list of messages", [{ role: "user", content: "Hi" }]]
  ])("what looks like a request or like messages is data: %s", async (_, input) => {
    const inner = Workflow.make({ id: "inner", steps: [Step.make({ name: "s", run: ({ input }) => input })] })
    await areThere(({ run }) => run(inner, input).then(({ content }) => JSON.stringify(content)), JSON.stringify(input))
  })
})

describe("a durable call without await", () => {
  const sentence = "A durable call is a promise. Write await before it"

  it.each<[string, Calling]>([
    ["the answer of a run", ({ run }) => (run(helperOf(), "Hi") as never as { content: string }).content],
    ["the id of a run", ({ run }) => (run(helperOf(), "Hi") as never as { runId: string }).runId],
    ["a text with it", ({ generate }) => `${String(generate({ prompt: "Hi" }) as never)}`],
    ["JSON with it", ({ step }) => JSON.stringify(["a", "b"].map((each) => step(each, () => each)))]
  ])("what reads it is refused, also if the call ends at once: %s", (_, call) => areThere(call, sentence))

  it("a promise in a result is named", async () => {
    const [, ofStep] = await ends(({ run }) => ({ a: run(helperOf(), "Hi") }))
    assert.include(ofStep, "'a' is a promise: write await before it")
  })

  it("a function can give the promise properties of its own", async () => {
    await areThere(async ({ step }) => {
      const call = Object.assign(step("a", () => "kept"), { label: "x", text: "own" })
      return `${call.text} ${await call}`
    }, "own kept")
  })

  it("the promise is compared by reference", async () => {
    await areThere(async ({ step }) => {
      const call = step("a", () => "kept")
      return `${HashSet.has(HashSet.make(call), call)} ${Equal.equals(call, {})} ${await call}`
    }, "true false kept")
  })

  it("awaited calls, alone and together, give their results", async () => {
    await areThere(async ({ generate, run, step }) => {
      const [{ content }, text] = await Promise.all([run(helperOf(), "Hi"), generate({ prompt: "Hi" })])
      return `${String(content)} ${text.length} ${await step("a", () => "kept")}`
    }, "Ok. 5 kept")
  })
})
