import { assert, describe, it } from "@effect/vitest"
import * as foreach from "@svc-runtime/examples/recipes/foreach"
import * as loop from "@svc-runtime/examples/recipes/loop"
import * as parallel from "@svc-runtime/examples/recipes/parallel"
import * as report from "@svc-runtime/examples/recipes/report"
import * as sleep from "@svc-runtime/examples/recipes/sleep"
import * as Tier from "@svc-runtime/test-support/Tier"
import { object, scriptedModel, testService } from "@svc-runtime/testing"

Tier.oneIn(3)

describe("recipes about workflows", () => {
  it("the agent writes a text for each item", async () => {
    const model = scriptedModel(["Please pay.", "Please pay."])
    await using service = await testService({ ...foreach.application, model })
    const run = await service.workflow("reminders").run("March")
    assert.strictEqual(run.content, "2 reminders: Please pay. Please pay.")
  })

  it("the step after the branches gets the results of both", async () => {
    await using service = await testService(parallel.application)
    assert.strictEqual((await service.workflow("offer").run("tea")).content, "tea is there, for 300 cents.")
  })

  it("the text is written again with what it misses, until it is good", async () => {
    const author = scriptedModel([
      "Tea is old.",
      ({ prompt }) => `Better: ${JSON.stringify(prompt).includes("a year")}`
    ])
    const editor = scriptedModel([
      object({ isGood: false, missing: "a year" }),
      object({ isGood: true, missing: "" })
    ])
    await using service = await testService({ ...loop.application, models: { author, editor } })
    assert.strictEqual((await service.workflow("article").run("The history of tea")).content, "Better: true")
  })

  it("the report is written on a working day at nine, and not on Sunday", async () => {
    const reportOf = async (startAt: string) => {
      const model = scriptedModel(["All is well."])
      await using service = await testService({ ...report.application, model, startAt })
      await service.advance("2 minutes")
      return (await service.client.runs.list({ component_id: "reporter" })).data.map(({ status }) => status)
    }
    assert.deepStrictEqual(await reportOf("2026-01-04T07:59:00Z"), [])
    assert.deepStrictEqual(await reportOf("2026-01-05T07:59:00Z"), ["COMPLETED"])
  })

  it("the second mail is sent after the wait, and the first one only once", async () => {
    await using service = await testService(sleep.application)
    sleep.sent.length = 0
    const paused = await service.workflow("reminder").run({
      message: JSON.stringify({ name: "Ann", wait: "1 minute" })
    })
    assert.deepStrictEqual(sleep.sent, ["Welcome to Ann"])
    await service.advance("2 minutes")
    const { content } = await service.until(service.client.workflow("reminder").watch(paused.output).result())
    assert.strictEqual(content, "Ann has got two mails.")
    assert.deepStrictEqual(sleep.sent, ["Welcome to Ann", "Reminder to Ann"])
  })
})
