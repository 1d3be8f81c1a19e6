import assert from "node:assert/strict"
import { test } from "node:test"
import { start } from "./service.ts"

test("the assistant asks the tool for the weather, and answers", async (t) => {
  const service = await start("scripted.ts")
  t.after(service.stop)
  const response = await fetch(`${service.url}/agents/assistant/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "What is the weather in Paris?", stream: "false" })
  })
  assert.equal(response.status, 200)
  const run = await response.json() as {
    readonly content: string
    readonly tools: ReadonlyArray<{ readonly result: string }>
  }
  assert.equal(run.content, "Take your sunglasses.")
  assert.deepEqual(run.tools.map(({ result }) => result), ["It is sunny in Paris."])
})
