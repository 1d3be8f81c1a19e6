import { assertCompleted, assertToolCalls, scriptedModel, testService, toolCall } from "@svc-runtime/testing"
import assert from "node:assert/strict"
import { test } from "node:test"
import { assistant } from "../src/assistant.ts"

test("the assistant asks the tool for the weather, and answers", async (t) => {
  const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])
  const service = await testService({ agents: [assistant(model)] })
  t.after(service.close)
  const run = await service.agent("assistant").run("What is the weather in Paris?")
  assertCompleted(run)
  assertToolCalls(run, [{ name: "weather", args: { city: "Paris" }, result: "It is sunny in Paris." }])
  assert.equal(run.content, "Take your sunglasses.")
})
