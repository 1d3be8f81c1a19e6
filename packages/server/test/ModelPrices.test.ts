// The file of prices.
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ApplicationParts from "../src/application/ApplicationParts.ts"

const read = Effect.fnUntraced(function*(content: string) {
  const path = join(yield* TemporaryDirectory.make, "prices.json")
  writeFileSync(path, content)
  return yield* ApplicationParts.readPrices(path)
})

const claude = { provider: "Anthropic", id: "claude-opus-5" }
const local = { provider: "local", id: "llama" }

describe("MODEL_PRICES", () => {
  it.effect("the prices of the file are added to the built-in prices, or replace them", () =>
    Effect.gen(function*() {
      const list = { models: [{ provider: "local", models: ["llama"], input: 1, output: 2 }] }
      const added = yield* read(JSON.stringify(list))
      assert.deepStrictEqual([added.of(local)?.input, added.of(claude)?.input], [1, 5])
      const replaced = yield* read(JSON.stringify({ ...list, replace: true }))
      assert.deepStrictEqual([replaced.of(local)?.output, replaced.of(claude)], [2, undefined])
    }))

  it.effect.each<readonly [string, string]>([
    ["no JSON", "prices"],
    ["no list", "{}"],
    ["a negative price", "{\"models\":[{\"models\":[\"a\"],\"input\":-1,\"output\":1}]}"],
    ["a price without output", "{\"models\":[{\"models\":[\"a\"],\"input\":1}]}"],
    ["a price of no model", "{\"models\":[{\"models\":[],\"input\":1,\"output\":1}]}"]
  ])("a file with %s stops the start, with its path", ([, content]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read(content))
      assert.match(error.message, /^MODEL_PRICES \/.*prices\.json: /)
    }))

  it.effect("a file that does not exist stops the start", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(ApplicationParts.readPrices("/nowhere/prices.json"))
      assert.match(error.message, /^MODEL_PRICES \/nowhere\/prices\.json: ENOENT/)
    }))
})
