// A block of docs/testing.md that `node --test` runs, see nodeTest.test.ts.
// #region
import { Agent } from "@svc-runtime/server"
import { assertCompleted, assertEvents, scriptedModel, testService } from "@svc-runtime/testing"
import assert from "node:assert/strict"
import { test } from "node:test"

test("the assistant greets", async () => {
  const assistant = Agent.make({ id: "assistant", model: scriptedModel(["Hello!"]) })
  await using service = await testService({ agents: [assistant] })
  const run = await service.agent("assistant").run("Hi")
  assertCompleted(run)
  assertEvents(run, ["RunStarted", "RunContent", "RunCompleted"])
  assert.equal(run.content, "Hello!")
})
// #endregion

test("a failed assertion names what the run has", async () => {
  await using service = await testService({ agents: [Agent.make({ id: "assistant", model: scriptedModel([]) })] })
  const run = await service.agent("assistant").run("Hi")
  assert.throws(() => assertCompleted(run), {
    name: "AssertionError",
    message: /^The run is ERROR and not COMPLETED: .*The script has no turn 1/
  })
})
