// What a service logs at start about the models that it uses.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Knowledge from "@svc/runtime/knowledge/Knowledge"
import * as Team from "@svc/runtime/team/Team"
import { Effect, Redacted } from "effect"
import { describeModels, unusableEmbedders, unusableModels } from "../src/StartupLog.ts"

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

  it("a background model that cannot be used is named with what to set, and no other", () => {
    const agents = [
      Agent.make({ id: "a", memory: { model: "openai:gpt-5" }, sessionSummaries: true }),
      Agent.make({ id: "b", model: "openai:gpt-5", memory: { update: "inline" }, learning: true })
    ]
    const teams = [Team.make({ id: "t", model: "google:one", members: agents, learning: { mode: "always" } })]
    const [first, second, ...others] = unusableModels({}, { agents, teams })
    assert.match(first ?? "", /^The jobs for memory of 'a' will fail\. OPENAI_API_KEY is not set, and the model/)
    assert.match(second ?? "", /^The jobs for learning of 't' will fail\. GOOGLE_/)
    assert.deepStrictEqual(others, [])
    assert.lengthOf(unusableModels({ openaiApiKey }, { agents, teams }), 1)
  })

  it("an embedder that cannot be used is named with what to set, and no other", () => {
    const bases = [
      Knowledge.make({ name: "a", embedder: "google:one" }),
      Knowledge.make({ name: "b" }),
      Knowledge.make({ name: "c", embedder: "none" })
    ]
    const used = [...bases, ...bases]
    const [first, second, ...others] = unusableEmbedders({ embedder: "openai:one" }, used)
    assert.match(first ?? "", /^Nothing is embedded\. OPENAI_API_KEY is not set, and the embedder openai:one needs it/)
    assert.match(second ?? "", /^Uploads to the knowledge 'a' will fail\. GOOGLE_/)
    assert.deepStrictEqual(others, [])
    assert.lengthOf(unusableEmbedders({ openaiApiKey }, bases), 1)
    assert.deepStrictEqual(unusableEmbedders({}, bases.slice(1)), [])
  })

  it("an embedder of the author is named by its id", () => {
    const embedder = { id: "mine", dimensions: 2, maxPerCall: 1, embedMany: () => Effect.succeed([]) }
    assert.include(describeModels({ embedder }), "Embedder: mine")
  })
})
