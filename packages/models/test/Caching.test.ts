// Where requests are marked for the cache of a provider.
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import * as PromptCache from "../src/PromptCache.ts"
import * as Wires from "../src/wire/Wires.ts"

const user = (text: string, isBegin = false): LanguageModelV4Prompt[number] => ({
  role: "user",
  content: [{ type: "text", text }],
  ...(isBegin ? { providerOptions: PromptCache.before } : {})
})
const answer = (text: string): LanguageModelV4Prompt[number] => ({
  role: "assistant",
  content: [{ type: "text", text }]
})
const system: LanguageModelV4Prompt[number] = { role: "system", content: "Be brief." }

const tools: NonNullable<LanguageModelV4CallOptions["tools"]> = ["a", "b"].map((name) => ({
  type: "function",
  name,
  inputSchema: { type: "object", properties: {} }
}))

const claude = { provider: "anthropic.messages", modelId: "claude-sonnet-4-5" }
const cache = PromptCache.make("agent session", "1h")

const sent = (named: { readonly provider: string; readonly modelId: string }, call: LanguageModelV4CallOptions) =>
  Wires.accepted(Wires.each(named)(undefined), call, cache).call

const markedIn = ({ prompt, tools = [] }: LanguageModelV4CallOptions) => [
  ...tools.flatMap((tool) => tool.type === "function" && tool.providerOptions !== undefined ? [tool.name] : []),
  ...prompt.flatMap((message, index) => message.providerOptions === undefined ? [] : [index])
]

describe("the marks of a request", () => {
  it("the last tool, the system message, the history and the last message are marked for Claude", () => {
    const prompt = [system, user("Tea?"), answer("Yes."), user("now", true), user("Milk?")]
    const call = sent(claude, { prompt, tools })
    assert.deepStrictEqual(markedIn(call), ["b", 0, 2, 4])
    assert.deepStrictEqual(call.prompt[0]?.providerOptions, {
      anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } }
    })
  })

  it("a request without tools is sent once, so its last message has no mark", () => {
    const prompt = [system, user("Tea?"), answer("Yes."), user("Milk?", true)]
    assert.deepStrictEqual(markedIn(sent(claude, { prompt })), [0, 2])
    assert.deepStrictEqual(markedIn(sent(claude, { prompt: [system, user("Tea?", true)] })), [0])
  })

  it("a long run before takes the mark of the tools, so that its beginning is found", () => {
    const long = Array.from({ length: 10 }, () => [answer("Hm."), user("More.")]).flat()
    const prompt = [system, user("Tea?"), answer("Yes."), user("Milk?", true), ...long, user("Sugar?", true)]
    assert.deepStrictEqual(markedIn(sent(claude, { prompt, tools })), [0, 2, prompt.length - 2, prompt.length - 1])
  })

  it("Claude on Bedrock gets points without one for the tools, and other models there get none", () => {
    const prompt = [system, user("Tea?"), answer("Yes."), user("Milk?", true)]
    const bedrock = { provider: "amazon-bedrock", modelId: "anthropic.claude-sonnet-4-5" }
    const call = sent(bedrock, { prompt, tools })
    assert.deepStrictEqual(markedIn(call), [0, 2, 3])
    assert.deepStrictEqual(call.prompt[0]?.providerOptions, { bedrock: { cachePoint: { type: "default", ttl: "1h" } } })
    assert.deepStrictEqual(markedIn(sent({ ...bedrock, modelId: "mistral.large" }, { prompt, tools })), [])
  })

  it("OpenAI gets the key of the session, and the key of an author is kept", () => {
    const prompt = [system, user("Tea?", true)]
    for (
      const [provider, name] of [["openai.chat", "openai"], ["openai.responses", "openai"], [
        "azure.chat",
        "azure"
      ]] as const
    ) {
      const named = { provider, modelId: "gpt-5" }
      const call = sent(named, { prompt, tools })
      assert.deepStrictEqual(call.providerOptions, { [name]: { promptCacheKey: cache.key } })
      assert.deepStrictEqual(markedIn(call), [])
      const own = { [name]: { promptCacheKey: "mine" } }
      assert.deepStrictEqual(sent(named, { prompt, providerOptions: own }).providerOptions, own)
    }
  })

  it("other providers get nothing", () => {
    const prompt = [system, user("Tea?", true)]
    for (const provider of ["google.generative-ai", "mistral.chat", "groq.chat", "custom.chat"]) {
      const call = sent({ provider, modelId: "model" }, { prompt, tools })
      assert.deepStrictEqual([markedIn(call), call.providerOptions], [[], undefined], provider)
    }
  })
})
