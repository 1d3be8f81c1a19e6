// What a service logs at start about the models that it uses.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { describeModels } from "../src/StartupLog.ts"

const openaiApiKey = Redacted.make("key")

describe("the log at start", () => {
  it("the line of the models says where texts are sent for their vectors", () => {
    assert.include(describeModels({ openaiApiKey }), "Model: openai:gpt-5. Embedder: openai:text-embedding-3-small")
    assert.include(describeModels({ embedder: "google:one" }), "Embedder: google:one")
    assert.include(describeModels({}), "Embedder: the demo embedder, which compares words")
  })

  it("a service without an embedder says what it cannot do, and the setting", () => {
    const line = "Embedder: none, so nothing is found by its meaning (set EMBEDDER)"
    assert.include(describeModels({ openaiApiKey, embedder: "none" }), line)
    assert.include(describeModels({ model: "anthropic:claude-sonnet-4-5" }), line)
  })

  it("an embedder of the author is named by its id", () => {
    const embedder = { id: "mine", dimensions: 2, maxPerCall: 1, embedMany: () => Effect.succeed([]) }
    assert.include(describeModels({ embedder }), "Embedder: mine")
  })
})
