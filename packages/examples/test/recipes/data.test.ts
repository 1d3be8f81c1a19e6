import { assert, describe, it } from "@effect/vitest"
import * as citations from "@svc-runtime/examples/recipes/citations"
import * as documents from "@svc-runtime/examples/recipes/documents"
import * as extraction from "@svc-runtime/examples/recipes/extraction"
import * as Tier from "@svc-runtime/test-support/Tier"
import { assertCompleted, object, scriptedModel, testService, toolCall } from "@svc-runtime/testing"

Tier.oneIn(3)

describe("recipes about documents and data", () => {
  it("the agent finds what is in the folder as soon as the service has started", async () => {
    const model = scriptedModel([toolCall("search_knowledge", { query: "days of holiday" }), "You have 30 days."])
    await using service = await testService({ ...documents.application, model })
    const run = await service.agent("guide").run("How many days of holiday do we have?")
    assertCompleted(run)
    assert.match(String(run.toolCalls[0]?.result), /holidays\.md/)
  })

  it("an answer comes with the files that it is made of", async () => {
    await using service = await testService({ ...citations.application, model: scriptedModel(["The office does it."]) })
    const { files, text } = await citations.answerWithSources(service.client, "How do I book a train?")
    assert.strictEqual(text, "The office does it.")
    assert.include(files.map((file) => String(file).split("/").at(-1)), "travel.md")
  })

  it("the answer is an object that fits the schema", async () => {
    const invoice = { number: 17, seller: "Tea House", cents: 1250, due: "2026-03-01" }
    await using service = await testService({ ...extraction.application, model: scriptedModel([object(invoice)]) })
    assert.deepStrictEqual(await extraction.readInvoice(service.client, "Invoice 17 …"), invoice)
  })
})
