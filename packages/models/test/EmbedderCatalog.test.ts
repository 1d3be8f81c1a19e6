// Which embedder a reference stands for.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as DemoEmbedder from "../src/DemoEmbedder.ts"
import type * as Embedder from "../src/Embedder.ts"
import { defaultEmbedder, EmbedderCatalog, embedderNameProblem, type Options } from "../src/EmbedderCatalog.ts"

const key = Redacted.make("key")

const catalog = (options: Options) => Effect.provide(EmbedderCatalog, EmbedderCatalog.layer(options))

const sized: Embedder.AiSdkEmbeddingModel = {
  specificationVersion: "v4",
  provider: "test",
  modelId: "sized",
  maxEmbeddingsPerCall: 10,
  supportsParallelCalls: false,
  doEmbed: ({ dimensions = 3, values }) =>
    Promise.resolve({ embeddings: values.map(() => Array.from({ length: dimensions }, () => 1)), warnings: [] })
}

describe("EmbedderCatalog", () => {
  it("the default embedder is that of the first provider with a key, and the demo embedder with the demo model", () => {
    const cases: ReadonlyArray<readonly [Options, unknown]> = [
      [{}, "demo"],
      [{ model: "fixed" }, undefined],
      [{ openaiApiKey: key, googleApiKey: key }, "openai:text-embedding-3-small"],
      [{ googleApiKey: key }, "google:gemini-embedding-001"],
      [{ anthropicApiKey: key }, undefined],
      [{ anthropicApiKey: key, embedder: "demo" }, "demo"],
      [{ openaiApiKey: key, embedder: " none " }, undefined],
      [{ embedder: sized }, sized]
    ]
    for (const [options, expected] of cases) assert.strictEqual(defaultEmbedder(options), expected)
  })

  it("a name that can never be an embedder has a problem, and one without its key has none", () => {
    assert.match(
      embedderNameProblem("anthropic:claude") ?? "",
      /'anthropic' has no embedding models here\. Known: openai/
    )
    assert.match(embedderNameProblem("openai") ?? "", /'openai' is not written as provider:model/)
    for (const name of ["openai:text-embedding-3-small", "demo", "none"]) {
      assert.isUndefined(embedderNameProblem(name))
    }
  })

  it.effect("an embedder is made once for each reference", () =>
    Effect.gen(function*() {
      const { resolve } = yield* catalog({})
      assert.strictEqual(yield* resolve("demo"), DemoEmbedder.embedder)
      assert.strictEqual(yield* resolve(DemoEmbedder.embedder), DemoEmbedder.embedder)
      assert.strictEqual(yield* resolve(sized), yield* resolve(sized))
    }))

  it.effect("an embedder of a provider without its key is an error that names the setting", () =>
    Effect.gen(function*() {
      const { resolve } = yield* catalog({})
      const error = yield* Effect.flip(resolve("openai:text-embedding-3-small"))
      assert.match(error.message, /^OPENAI_API_KEY is not set, and the embedder openai:text-embedding-3-small needs it/)
      assert.match((yield* Effect.flip(resolve("unknown:x"))).message, /'unknown' has no embedding models here/)
    }))

  it.effect("the length of vectors is asked of the default embedder, and of no other one", () =>
    Effect.gen(function*() {
      const other: Embedder.AiSdkEmbeddingModel = { ...sized, modelId: "other" }
      const { resolve } = yield* catalog({ embedder: sized, embedderDimensions: 7 })
      const lengthOf = (model: Embedder.AiSdkEmbeddingModel) =>
        Effect.map(
          Effect.flatMap(resolve(model), ({ embedMany }) => embedMany(["a"])),
          ([vector]) => vector?.length
        )
      assert.deepStrictEqual([yield* lengthOf(sized), yield* lengthOf(other)], [7, 3])
    }))
})
