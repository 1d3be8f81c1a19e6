// # Test an agent without a model
// Quality
//
// A scripted model says what you wrote down, so a test needs no key and no network and takes milliseconds. The service
// is the real one, in memory.
//
// Try:
//   npm run node -- --test packages/examples/src/recipes/scripted.test.ts
//
// Change: `as: "anthropic:claude-sonnet-4-5"` also checks each request with the rules of the provider.
import { Agent, Tool } from "@svc-runtime/server"
import { assertCompleted, assertToolCalls, scriptedModel, testService, toolCall } from "@svc-runtime/testing"
import { test } from "node:test"
import { z } from "zod"

const weather = Tool.make({
  name: "weather",
  parameters: z.object({ city: z.string() }),
  effects: "read",
  execute: ({ city }) => `It is sunny in ${city}.`
})

const assistant = Agent.make({ id: "assistant", tools: [weather] })

test("the assistant looks at the weather before it answers", async () => {
  const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])
  await using service = await testService({ agents: [assistant], model })
  const run = await service.run(assistant, "What do I need in Paris?")
  assertCompleted(run)
  assertToolCalls(run, [{ name: "weather", args: { city: "Paris" }, result: "It is sunny in Paris." }])
})
