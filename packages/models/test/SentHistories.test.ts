// What each wire gets of a history that another provider would refuse.
import { assert, describe, it } from "@effect/vitest"
import * as ProviderCheck from "@svc-runtime/testing/ProviderCheck"
import { Effect } from "effect"
import { type LanguageModel, Prompt, Tool } from "effect/ai"
import type { ModelSettings } from "../src/ModelSettings.ts"
import * as RequestOptions from "../src/RequestOptions.ts"
import * as Wires from "../src/wire/Wires.ts"

type Fields = Readonly<Record<string, any>> // oxlint-disable-line typescript/no-explicit-any -- bodies of many formats

const look = Tool.dynamic("look", { description: "Looks", parameters: { type: "object", properties: {} } })

const user = (text: string) => Prompt.userMessage({ content: [Prompt.textPart({ text })] })

const call = (id: string, name = "look") => Prompt.toolCallPart({ id, name, params: { x: 1 }, providerExecuted: false })

const result = (id: string, name = "look") =>
  Prompt.toolMessage({
    content: [Prompt.toolResultPart({ id, name, isFailure: false, result: `seen ${id}`, providerExecuted: false })]
  })

const answer = (...content: ReadonlyArray<Prompt.AssistantMessagePart>) => Prompt.assistantMessage({ content })

const sent = Effect.fnUntraced(function*(
  ref: string,
  messages: ReadonlyArray<Prompt.Message>,
  { settings = {}, tools = [look] }: { settings?: ModelSettings; tools?: ReadonlyArray<Tool.Any> } = {}
) {
  const check = yield* ProviderCheck.make(ref)
  const request = { prompt: Prompt.fromMessages(messages), tools, toolChoice: "auto", responseFormat: { type: "text" } }
  const verdict = yield* RequestOptions.provide(check(request as unknown as LanguageModel.ProviderOptions), {
    settings
  })
  assert.isUndefined(verdict.refusal)
  return verdict.sent?.body as Fields
})

describe("a history on its wire", () => {
  it.effect("Gemini gets all results of one answer in one content, in the order of the calls", () =>
    Effect.gen(function*() {
      const { contents } = yield* sent("google:gemini-2.5-pro", [
        user("look twice"),
        answer(call("a"), call("b")),
        result("b"),
        result("a")
      ])
      assert.deepStrictEqual(contents.map(({ role }: Fields) => role), ["user", "model", "user"])
      assert.deepStrictEqual(
        contents[2].parts.map(({ functionResponse }: Fields) => functionResponse.response.content),
        ["seen a", "seen b"]
      )
    }))

  it.effect("a name that a model has invented is a valid one, the same in the call and its result", () =>
    Effect.gen(function*() {
      const history = [user("look"), answer(call("a", "functions.look")), result("a", "functions.look")]
      const { messages } = yield* sent("openai-chat:gpt-5", history)
      assert.strictEqual(messages[1].tool_calls[0].function.name, "functions_look")
      const { contents } = yield* sent("google:gemini-2.5-pro", [user("x"), answer(call("a", "3d")), result("a", "3d")])
      assert.strictEqual(contents[1].parts[0].functionCall.name, "_3d")
      assert.strictEqual(contents[2].parts[0].functionResponse.name, "_3d")
    }))

  it.effect("ids that repeat over the turns are distinct, and stay the same in later requests", () =>
    Effect.gen(function*() {
      const turn = [user("look"), answer(call("terminal_0")), result("terminal_0")]
      const idsOf = ({ input }: Fields): ReadonlyArray<string> =>
        input.filter(({ type }: Fields) => type === "function_call_output").map(({ call_id }: Fields) => call_id)
      const first = idsOf(yield* sent("openai:gpt-5", [...turn, ...turn]))
      const later = idsOf(yield* sent("openai:gpt-5", [...turn, ...turn, ...turn]))
      assert.strictEqual(first[0], "terminal_0")
      assert.strictEqual(new Set(later).size, 3)
      assert.deepStrictEqual(later.slice(0, 2), first)
    }))

  it.effect("a call without a result has one that says so, and a result without a call is left out", () =>
    Effect.gen(function*() {
      const { messages } = yield* sent("openai-compatible:qwen3", [
        user("look"),
        answer(call("a"), call("b")),
        result("c"),
        result("b"),
        user("well?")
      ])
      assert.deepStrictEqual(messages.slice(2).map(({ content, tool_call_id }: Fields) => [tool_call_id, content]), [
        ["a", "There is no result: the call was not finished."],
        ["b", "seen b"],
        [undefined, "well?"]
      ])
    }))

  it.effect("reasoning of calls is sent to the providers that want it, and to no others", () =>
    Effect.gen(function*() {
      const stored = Prompt.assistantMessage({ content: [call("a")], options: { svc: { reasoning: "R1" } } })
      const history = [user("look"), stored, result("a"), user("again"), answer(call("b")), result("b")]
      const reasoningOf = ({ messages }: Fields) =>
        messages.flatMap((one: Fields) => one.tool_calls ? [one.reasoning_content] : [])
      assert.deepStrictEqual(reasoningOf(yield* sent("moonshotai:kimi-k2-thinking", history)), ["R1", " "])
      assert.deepStrictEqual(reasoningOf(yield* sent("deepseek:deepseek-v4-flash", history)), ["R1", " "])
      assert.deepStrictEqual(reasoningOf(yield* sent("openai-compatible:deepseek-v4", history)), ["R1", " "])
      const current = [user("look"), answer(Prompt.reasoningPart({ text: "R2" }), call("a")), result("a")]
      assert.deepStrictEqual(reasoningOf(yield* sent("openai-compatible:qwen3", current)), ["R2"])
      for (const ref of ["groq:openai/gpt-oss-120b", "cerebras:gpt-oss-120b", "mistral:mistral-large-latest"]) {
        assert.notInclude(JSON.stringify(yield* sent(ref, current)), "R2", ref)
      }
    }))

  it.effect("a schema that a client does not send, or not beside tools, is an instruction", () =>
    Effect.gen(function*() {
      const schema = { type: "object" as const, properties: { city: { type: "string" as const } } }
      const format: RequestOptions.ResponseFormat = { type: "json", name: "place", schema }
      const instruction = `Your answer is JSON that fits this schema, and nothing else: `
      const requesting = (ref: string, tools: ReadonlyArray<Tool.Any> = []) =>
        RequestOptions.provide(sent(ref, [user("where?")], { tools }), { format })
      const together = yield* requesting("togetherai:Qwen/Qwen3-235B")
      assert.deepStrictEqual(together.response_format, { type: "json_object" })
      assert.isTrue(together.messages[0].content.startsWith(instruction))
      assert.include(together.messages[0].content, `"city"`)
      const cohere = yield* requesting("cohere:command-a-03-2025")
      assert.strictEqual(cohere.response_format.type, "json_object")
      const withTools = yield* requesting("cohere:command-a-03-2025", [look])
      assert.isUndefined(withTools.response_format)
      assert.isTrue(withTools.messages[0].content.startsWith(instruction))
    }))

  it.effect.each(["perplexity.sonar", "huggingface.responses"])(
    "%s gets calls and results as texts",
    (provider) =>
      Effect.sync(() => {
        const text = (value: string) => [{ type: "text" as const, text: value }]
        const { call: { prompt, tools } } = Wires.accepted(Wires.each({ provider, modelId: "m" })(undefined), {
          prompt: [
            { role: "user", content: text("look") },
            { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "look", input: { x: 1 } }] },
            {
              role: "tool",
              content: [{
                type: "tool-result",
                toolCallId: "a",
                toolName: "look",
                output: { type: "text", value: "7" }
              }]
            },
            { role: "user", content: text("and?") }
          ],
          tools: [{ type: "function", name: "look", inputSchema: { type: "object" } }]
        })
        const texts = prompt.map(({ content, role }) => [role, JSON.stringify(content)])
        assert.deepStrictEqual(texts.map(([role]) => role).slice(0, 3), ["user", "assistant", "user"])
        assert.include(texts[1]?.[1], "I called the tool look")
        assert.include(texts[2]?.[1], "The tool look returned: 7")
        assert.strictEqual(tools === undefined, provider.startsWith("perplexity"))
        assert.lengthOf(prompt, provider.startsWith("perplexity") ? 3 : 4)
      })
  )

  it.effect("an author chooses the reasoning that an unknown server gets", () =>
    Effect.gen(function*() {
      const stored = Prompt.assistantMessage({ content: [call("a")], options: { svc: { reasoning: "R1" } } })
      const history = [
        user("look"),
        stored,
        result("a"),
        answer(Prompt.reasoningPart({ text: "R2" }), call("b")),
        result("b")
      ]
      for (
        const [sendReasoning, expected] of [["calls", ["R1", "R2"]], ["run", [undefined, "R2"]], ["none", [
          undefined,
          undefined
        ]]] as const
      ) {
        const { messages } = yield* sent("openai-compatible:qwen3", history, { settings: { sendReasoning } })
        assert.deepStrictEqual(
          messages.flatMap((one: Fields) => one.tool_calls ? [one.reasoning_content] : []),
          expected
        )
      }
    }))

  it.effect("Claude does not think in a request whose calls have no thinking, and thinks in others", () =>
    Effect.gen(function*() {
      const settings = { reasoning: "medium", maxOutputTokens: 8000 } as const
      const model = "anthropic:claude-sonnet-4-5"
      const forked = yield* sent(model, [user("look"), answer(call("a")), result("a")], { settings })
      assert.deepStrictEqual(forked.thinking, { type: "disabled" })
      const signed = Prompt.reasoningPart({ text: "hm", options: { anthropic: { signature: "S" } } })
      const kept = yield* sent(model, [user("look"), answer(signed, call("a")), result("a")], { settings })
      assert.strictEqual(kept.thinking.type, "enabled")
      const later = yield* sent(model, [
        user("look"),
        answer(call("a")),
        result("a"),
        answer(Prompt.textPart({ text: "x" })),
        user("?")
      ], { settings })
      assert.strictEqual(later.thinking.type, "enabled")
    }))

  it.effect("calls are texts for an agent without tools, where the provider needs tools for calls", () =>
    Effect.gen(function*() {
      const history = [user("look"), answer(call("a")), result("a"), user("well?")]
      const { messages, tools } = yield* sent("anthropic:claude-sonnet-4-5", history, { tools: [] })
      assert.isUndefined(tools)
      assert.deepStrictEqual(messages[1].content[0].text, "I called the tool look with {\"x\":1}.")
      assert.deepStrictEqual(messages[2].content.map(({ text }: Fields) => text), [
        "The tool look returned: seen a",
        "well?"
      ])
      const chat = yield* sent("openai-chat:gpt-5", history, { tools: [] })
      assert.strictEqual(chat.messages[1].tool_calls.length, 1)
    }))

  it.effect("half a character is replaced, wherever it is: strict providers refuse it as invalid JSON", () =>
    Effect.gen(function*() {
      const half = "\ud83d"
      const cut = Prompt.toolCallPart({ id: "a", name: "look", params: { [half]: [half] }, providerExecuted: false })
      const seen = Prompt.toolResultPart({
        id: "a",
        name: "look",
        isFailure: false,
        result: { text: `seen ${half}` },
        providerExecuted: false
      })
      const described = Tool.dynamic("look", {
        description: `Looks ${half}`,
        parameters: { type: "object", properties: { x: { type: "string", description: half } } }
      })
      const history = [
        Prompt.systemMessage({ content: `Be ${half}` }),
        user(`hi ${half} 😀`),
        answer(Prompt.textPart({ text: half }), cut),
        Prompt.toolMessage({ content: [seen] })
      ]
      for (
        const model of ["openai-chat:gpt-5", "openai:gpt-5", "anthropic:claude-sonnet-4-5", "google:gemini-2.5-pro"]
      ) {
        const body = JSON.stringify(yield* sent(model, history, { tools: [described] }))
        assert.notMatch(body, /\\ud[89a-f]/)
        assert.include(body, "hi \ufffd 😀")
      }
    }))
})
