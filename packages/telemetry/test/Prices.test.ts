// What requests cost.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Prices from "../src/Prices.ts"

const { costOf, make, withList } = Prices
const day = "2026-11-22"
const shipped = withList({ models: [] })

const cost = (provider: string, id: string, usage: Parameters<typeof costOf>[1]) =>
  costOf(shipped.of({ provider, id }), usage, day)

describe("Prices", () => {
  it("input, output, and cached tokens, which are part of the input, have prices of their own", () => {
    const usage = {
      input_tokens: 1_000_000,
      output_tokens: 100_000,
      cache_read_tokens: 600_000,
      cache_write_tokens: 100_000
    }
    // 0.3 * 5 + 0.6 * 0.5 + 0.1 * 6.25 + 0.1 * 25
    assert.strictEqual(cost("Anthropic", "claude-opus-4-5", usage), 4.925)
    // 0.4 * 1.25 + 0.6 * 0.125 + 0.1 * 10
    assert.strictEqual(cost("OpenAI", "gpt-5", { ...usage, cache_write_tokens: 0 }), 1.575)
    // a cache write has no price there
    assert.isUndefined(cost("OpenAI", "gpt-5", usage))
  })

  it("reasoning tokens are part of the output, and cost as much unless they have a price", () => {
    const usage = { output_tokens: 1_000_000, reasoning_tokens: 400_000 }
    assert.strictEqual(cost("OpenAI", "gpt-5", usage), 10)
    const [price] = [{ models: ["m"] as const, input: 1, output: 2, reasoning: 3 }]
    assert.strictEqual(costOf(make([price]).of({ provider: "p", id: "m" }), usage, day), 2.4)
  })

  it("audio tokens are part of input and output, and have no price unless one is listed", () => {
    const usage = { input_tokens: 1_000_000, audio_input_tokens: 500_000 }
    assert.strictEqual(cost("Google", "gemini-2.5-flash", usage), 0.65)
    assert.isUndefined(cost("OpenAI", "gpt-5", usage))
  })

  it("a long prompt has its own price for all tokens, or none that is known", () => {
    const long = { input_tokens: 300_000, output_tokens: 1000 }
    assert.strictEqual(cost("Google", "gemini-2.5-pro", { ...long, input_tokens: 200_000 }), 0.26)
    assert.strictEqual(cost("Google", "gemini-2.5-pro", long), 0.765)
    assert.isUndefined(cost("OpenAI", "gpt-6-sol", long))
  })

  it.each([
    ["OpenAI", "gpt-5-2025-08-07", 1.25],
    ["openai", "GPT-5-mini", 0.25],
    ["Anthropic", "claude-sonnet-4-20250514", 3],
    ["Anthropic", "claude-sonnet-4-5@20250929", 3],
    ["Anthropic", "claude-haiku-4-5-latest", 1],
    ["Google", "gemini-2.5-pro-preview-06-05", 2.5],
    ["OpenAI", "gpt-5-unheard-of", undefined],
    ["OpenAI", "gpt-51", undefined],
    ["OpenAI", "gpt-4x1", undefined],
    ["Ollama", "gpt-5", undefined],
    ["OpenAI", "", undefined]
  ])("a million input tokens of %s %s cost %s", (provider, id, expected) => {
    assert.strictEqual(cost(provider, id, { input_tokens: 1_000_000 }), expected)
  })

  it.each([
    ["openai.responses", "gpt-5", 0.125],
    ["openai.chat", "gpt-5-mini", 0.025],
    ["anthropic.messages", "claude-sonnet-4-5", 0.3],
    ["google.generative-ai", "gemini-2.5-pro", 0.125],
    ["xai.responses", "grok-4", 0.3],
    ["deepseek.chat", "deepseek-v4-flash", 0.014],
    ["azure.responses", "gpt-5", undefined],
    ["google.vertex.chat", "gemini-2.5-pro", undefined],
    ["googleVertex.anthropic.messages", "claude-sonnet-4-5", undefined],
    ["openaiCompatible.chat", "gpt-5", undefined],
    ["openai-compatible", "gpt-5", undefined],
    ["openai.internal", "gpt-5", undefined],
    ["internal.responses", "gpt-5", undefined],
    ["gateway", "openai/gpt-5", undefined]
  ])("100,000 input tokens of the provider %s of the AI SDK with %s cost %s", (provider, id, expected) => {
    assert.strictEqual(cost(provider, id, { input_tokens: 100_000 }), expected)
  })

  it("a price of a file applies to each name of its provider, or to one API of the AI SDK", () => {
    const priced = (name: string, provider: string) =>
      make([{ provider: name, models: ["m"], input: 1, output: 1 }]).of({ provider, id: "m" }) !== undefined
    assert.isTrue(priced("Bedrock", "amazon-bedrock"))
    assert.isTrue(priced("AWS Bedrock", "bedrock"))
    assert.isTrue(priced("internal", "internal.chat"))
    assert.isTrue(priced("openai.responses", "openai.responses"))
    assert.isFalse(priced("openai.responses", "openai.chat"))
    assert.isFalse(priced("openai.responses", "OpenAI"))
  })

  it("a price ends with its last day", () => {
    const price = shipped.of({ provider: "Google", id: "gemini-3.8-flash" })
    assert.strictEqual(costOf(price, { input_tokens: 1_000_000 }, "2026-12-31"), 0.75)
    assert.isUndefined(costOf(price, { input_tokens: 1_000_000 }, "2027-01-01"))
  })

  it.each([
    [{ cached_input: 0.1 }, { cache_read_tokens: 5 }, undefined],
    [{}, { cache_read_tokens: 5 }, "its price has no cached_input"],
    [{ cached_input: 0.1 }, { cache_read_tokens: 5, cache_write_tokens: 1 }, "its price has no cache_write"],
    [
      {},
      { cache_read_tokens: 5, cache_write_tokens: 1, audio_input_tokens: 1, audio_output_tokens: 1 },
      "its price has no cached_input, cache_write, audio_input and audio_output"
    ],
    [{ until: "2026-01-01" }, {}, "its price ended on 2026-01-01"],
    [{ up_to: 10 }, {}, "no price is listed for a request with more than 10 input tokens"]
  ])("the reason for a missing cost names what the price %j lacks for %j: %s", (fields, used, reason) => {
    const price = make([{ models: ["m"], input: 1, output: 1, ...fields }]).of({ provider: "p", id: "m" })
    const usage = { input_tokens: 20, output_tokens: 2, ...used }
    assert.strictEqual(Prices.gapOf(price, usage, day), reason)
    assert.strictEqual(costOf(price, usage, day) === undefined, reason !== undefined)
  })

  it("prices of a file come first, and can replace all others", () => {
    const own = { models: [{ provider: "OpenAI", models: ["gpt-5", "local-*"] as const, input: 7, output: 8 }] }
    const gpt = { provider: "OpenAI", id: "gpt-5" }
    const claude = { provider: "Anthropic", id: "claude-opus-5" }
    assert.deepStrictEqual([withList(own).of(gpt)?.input, withList(own).of(claude)?.input], [7, 5])
    assert.strictEqual(withList(own).of({ provider: "OpenAI", id: "local-llama" })?.output, 8)
    assert.isUndefined(withList({ ...own, replace: true }).of(claude))
  })

  it("the name of a model has at most one `*`, and at most 256 characters", () => {
    const isValid = Schema.is(Prices.Price)
    const price = (name: string) => ({ models: [name], input: 1, output: 1 })
    assert.isTrue(isValid(price("ft:gpt-5:*:acme")))
    assert.isFalse(isValid(price("ft:*:acme:*")))
    assert.isTrue(isValid(price("m".repeat(256))))
    assert.isFalse(isValid(price("m".repeat(257))))
  })

  it("a model with a longer name than 256 characters has no price", () => {
    const prices = make([{ models: ["m*"], input: 1, output: 1 }])
    assert.strictEqual(prices.of({ provider: "p", id: "m".repeat(256) })?.input, 1)
    assert.isUndefined(prices.of({ provider: "p", id: "m".repeat(257) }))
  })

  it("each price that ships names its source and the day on which it was checked", () => {
    for (const id of ["gpt-5", "gpt-6-sol"]) {
      const price = shipped.of({ provider: "OpenAI", id })
      assert.match(price?.source ?? "", /^https:/)
      assert.match(price?.checked ?? "", /^2026-/)
    }
  })
})
