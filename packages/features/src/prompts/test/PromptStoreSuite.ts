// What every `PromptStore` has to do.
import { assert, layer } from "@effect/vitest"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import { PromptStore } from "../PromptStore.ts"
import type * as StoredPrompt from "../StoredPrompt.ts"

const nameOf = () => newId("prompt").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").slice(0, 64)

export const newPrompt = (fields: Partial<StoredPrompt.Stored> = {}): StoredPrompt.Stored => ({
  name: nameOf(),
  version: 1,
  prompt_id: newId("id"),
  text: "Be friendly.",
  created_at: 1_000,
  created_by: "ann",
  ...fields
})

export const suite = <E>(name: string, stores: Layer.Layer<PromptStore, E>) =>
  layer(stores, { excludeTestServices: true })(`PromptStore, ${name}`, (it) => {
    it.effect("a prompt is found by its name, and is created once", () =>
      Effect.gen(function*() {
        const store = yield* PromptStore
        const first = newPrompt()
        assert.deepStrictEqual(yield* store.create(first), Option.some(first))
        assert.isTrue(Option.isNone(yield* store.create({ ...first, prompt_id: "other" })))
        assert.deepStrictEqual(yield* store.find(first.name, undefined), Option.some(first))
        assert.deepStrictEqual(yield* store.find(first.name, 1), Option.some(first))
        assert.isTrue(Option.isNone(yield* store.find(first.name, 2)))
        assert.isTrue(Option.isNone(yield* store.find("missing", undefined)))
      }))

    it.effect("a version follows the latest one of the same prompt, and the earlier ones stay", () =>
      Effect.gen(function*() {
        const store = yield* PromptStore
        const first = newPrompt()
        const second = { ...first, version: 2, text: "Be short.", created_at: 2_000, created_by: null }
        assert.isTrue(Option.isNone(yield* store.addVersion(second)))
        yield* store.create(first)
        assert.isTrue(Option.isNone(yield* store.addVersion({ ...second, prompt_id: "other" })))
        assert.deepStrictEqual(yield* store.addVersion(second), Option.some(second))
        assert.isTrue(Option.isNone(yield* store.addVersion(second)))
        assert.deepStrictEqual(yield* store.find(first.name, undefined), Option.some(second))
        assert.deepStrictEqual((yield* store.versions(first.name)).map(({ version }) => version), [2, 1])
        const { name, prompt_id } = first
        assert.deepInclude(yield* store.heads, { name, prompt_id, version: 2 })
        const texts = yield* store.texts([{ name, version: 1 }, { name, version: 2 }, { name, version: 3 }])
        assert.deepStrictEqual(texts.map(({ text }) => text).toSorted(), ["Be friendly.", "Be short."])
      }))

    it.effect("a version is refused if another one is stored at the same time", () =>
      Effect.gen(function*() {
        const store = yield* PromptStore
        const first = newPrompt()
        yield* store.create(first)
        const both = yield* Effect.all(
          [store.addVersion({ ...first, version: 2 }), store.addVersion({ ...first, version: 2 })],
          { concurrency: 2 }
        )
        assert.strictEqual(both.filter(Option.isSome).length, 1)
      }))

    it.effect("the list has the latest versions by name, and a removed prompt is gone with all of them", () =>
      Effect.gen(function*() {
        const store = yield* PromptStore
        const before = yield* store.list({ page: 1, limit: 1 })
        const first = newPrompt({ text: "a\0b" })
        yield* store.create(first)
        yield* store.addVersion({ ...first, version: 2 })
        const after = yield* store.list({ page: 1, limit: 100 })
        assert.strictEqual(after.total, before.total + 1)
        const { created_at, created_by, name } = first
        assert.deepInclude(after.prompts, { name, version: 2, created_at, created_by })
        assert.deepStrictEqual(after.prompts.map(({ name }) => name), after.prompts.map(({ name }) => name).toSorted())
        assert.strictEqual(Option.getOrThrow(yield* store.find(name, 1)).text, "a\ufffdb")
        assert.isTrue(yield* store.remove(name))
        assert.isFalse(yield* store.remove(name))
        assert.deepStrictEqual(yield* store.versions(name), [])
      }))
  })
