import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { Duration, Schema } from "effect"
import { z } from "zod"

const add = Tool.make({ name: "add", execute: () => 3 })

const refused = (options: Partial<Agent.Options>, expected: RegExp) =>
  assert.throws(() => Agent.make({ id: "agent", ...options }), expected)

describe("Agent.make", () => {
  it("an agent has the defaults of the contract", () => {
    const agent = Agent.make({ id: "agent" })
    assert.strictEqual(agent.name, "agent")
    assert.strictEqual(agent.tools.size, 0)
    assert.isFalse(agent.addHistoryToContext)
    assert.strictEqual(agent.numHistoryRuns, 3)
    assert.isTrue(agent.buildContext)
    assert.strictEqual(agent.systemMessageRole, "system")
    assert.strictEqual(agent.timezone, "UTC")
    assert.isFalse(agent.reasoning)
    assert.strictEqual(agent.reasoningMinSteps, 1)
    assert.strictEqual(agent.reasoningMaxSteps, 10)
    assert.strictEqual(agent.retries, 0)
    assert.strictEqual(Duration.toSeconds(agent.delayBetweenRetries), 1)
    assert.isFalse(agent.exponentialBackoff)
    assert.isUndefined(agent.toolCallLimit)
  })

  it("an agent keeps its tools by name, in their order", () => {
    const other = Tool.make({ name: "other", execute: () => 1 })
    assert.deepStrictEqual([...Agent.make({ id: "agent", tools: [other, add] }).tools.keys()], ["other", "add"])
  })

  it("an agent reasons when it has a reasoning model, unless reasoning is turned off", () => {
    assert.isTrue(Agent.make({ id: "agent", reasoningModel: "demo" }).reasoning)
    assert.isFalse(Agent.make({ id: "agent", reasoningModel: "demo", reasoning: false }).reasoning)
  })

  it.each(["", "with space", "a/b", "ä", "a?b", ".", ".."])(
    "the id '%s' is refused, because no url could carry it",
    (id) => {
      assert.throws(() => Agent.make({ id }), /Agent id '.*' is not usable in a url/)
    }
  )

  it.each(["a", "My.Agent_1~x-y", "007"])("the id '%s' is accepted", (id) => {
    assert.strictEqual(Agent.make({ id }).id, id)
  })

  it("two tools of one name are refused", () => {
    refused({ tools: [add, Tool.make({ name: "add", execute: () => 4 })] }, /'agent' has two tools called 'add'/)
  })

  it.each(
    [
      ["toolCallLimit", { toolCallLimit: -1 }],
      ["toolCallLimit", { toolCallLimit: 1.5 }],
      ["numHistoryRuns", { numHistoryRuns: Number.NaN }],
      ["retries", { retries: -1 }],
      ["reasoningMinSteps", { reasoningMinSteps: 0 }],
      ["reasoningMaxSteps", { reasoningMinSteps: 3, reasoningMaxSteps: 2 }]
    ] as const
  )("an invalid limit is refused: %s", (name, options) => {
    refused(options, new RegExp(`Agent 'agent': ${name} must be a whole number of at least`))
  })

  it.each(
    [
      ["model", { model: "gpt-5" }],
      ["memory.model", { memory: { model: "gpt-5" } }],
      ["sessionSummaries.model", { sessionSummaries: { model: "gpt-5" } }],
      ["learning.model", { learning: { mode: "always", model: "gpt-5" } }]
    ] as const
  )("a model that no provider can have is refused: %s", (name, options) => {
    refused(options, new RegExp(`Agent 'agent': ${name} cannot be used\\. Unknown model 'gpt-5'.*openai:gpt-5`))
  })

  it("a limit of zero is accepted for tool calls, history and retries", () => {
    const agent = Agent.make({ id: "agent", toolCallLimit: 0, numHistoryRuns: 0, retries: 0 })
    assert.deepStrictEqual([agent.toolCallLimit, agent.numHistoryRuns, agent.retries], [0, 0, 0])
  })

  it("a toolChoice that names none of its tools is refused", () => {
    refused({ toolChoice: { tool: "add" } }, /toolChoice names 'add', which is not one of its tools/)
    assert.deepStrictEqual(Agent.make({ id: "agent", tools: [add], toolChoice: { tool: "add" } }).toolChoice, {
      tool: "add"
    })
  })

  it("a timezone that does not exist is refused", () => {
    refused({ timezone: "Europe/Nowhere" }, /Agent 'agent': there is no timezone 'Europe\/Nowhere'/)
    assert.strictEqual(Agent.make({ id: "agent", timezone: "Europe/Berlin" }).timezone, "Europe/Berlin")
  })

  it("a delay between retries that is not a duration is refused", () => {
    refused({ delayBetweenRetries: "soon" as never }, /Agent 'agent': delayBetweenRetries/)
    refused({ delayBetweenRetries: "-1 second" }, /Agent 'agent': delayBetweenRetries/)
  })

  it("an agent takes zod, Effect Schema and JSON Schema for its input and its output", () => {
    const schemas = [
      z.object({ title: z.string() }).meta({ title: "Movie" }),
      Schema.Struct({ title: Schema.String }).annotate({ identifier: "Movie" }),
      { title: "Movie", type: "object", properties: { title: { type: "string" } }, required: ["title"] }
    ]
    for (const schema of schemas) {
      const agent = Agent.make({ id: "agent", inputSchema: schema, outputSchema: schema })
      assert.strictEqual(agent.outputSchema?.title, "Movie")
      assert.strictEqual(agent.inputSchema?.jsonSchema["type"], "object")
    }
  })

  it("an output schema that cannot be shown to a model is refused", () => {
    const undescribed = {
      "~standard": { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) }
    } as const
    refused({ outputSchema: undescribed }, /This acme schema cannot describe itself as JSON Schema/)
  })
})
