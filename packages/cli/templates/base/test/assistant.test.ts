import { assertCompleted, assertToolCalls, testService, toolCall } from "@svc-runtime/testing"
import assert from "node:assert/strict"
import { test } from "node:test"
import { assistant } from "../src/assistant.ts"
import { application } from "../src/service.ts"

test("the assistant asks the tool for the weather, and answers", async (t) => {
  const model = [toolCall("weather", { city: "Paris" }), "Take your sunglasses."]
  const service = await testService({ ...application, model })
  t.after(service.close)
  const run = await service.run(assistant, "What is the weather in Paris?")
  assertCompleted(run)
  assertToolCalls(run, [{ name: "weather", args: { city: "Paris" }, result: "It is sunny in Paris." }])
  assert.equal(run.content, "Take your sunglasses.")
})
