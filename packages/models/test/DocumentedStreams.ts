// Streams as the documentation of each format shows them, with what providers add to it. Other events stand before,
// between and after the plain deltas.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Format } from "../src/PlainDelta.ts"

type Fetch = typeof globalThis.fetch

export interface DocumentedStream {
  readonly name: string
  readonly format: Format
  readonly client: (fetch: Fetch) => LanguageModelV4
  /** The fields of each event, in their order. */
  readonly events: ReadonlyArray<{ readonly event?: string; readonly data: string }>
  /** A plain delta of the text that is open after these events. */
  readonly beginning: number
  readonly plain: (text: string) => { readonly event?: string; readonly data: string }
  readonly error: { readonly event?: string; readonly data: string }
}

const words = ["Grüße", " aus", " 日本", " 🙂", " 🙂", " \n\n", "data:", " end"]

const json = (data: unknown) => ({ data: JSON.stringify(data) })

const chatChunk = (delta: object, choice: object = {}, rest: object = {}) =>
  json({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "gpt-5-nano",
    service_tier: "default",
    system_fingerprint: null,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }],
    usage: null,
    obfuscation: "x7Gq",
    ...rest
  })

const chatCall = (call: object) => chatChunk({ tool_calls: [{ index: 0, ...call }] })

const chat = {
  events: [
    chatChunk({ role: "assistant", content: "", refusal: null }),
    ...words.map((content) => chatChunk({ content })),
    chatChunk({ content: "with", logprobs: null }, {
      logprobs: { content: [{ token: "with", logprob: -0.1, top_logprobs: [] }], refusal: null }
    }),
    ...words.map((content) => chatChunk({ role: "assistant", content, tool_calls: [] })),
    chatChunk({ content: "" }),
    ...words.map((content) => chatChunk({ content })),
    chatCall({ id: "call_1", type: "function", function: { name: "add", arguments: "" } }),
    chatCall({ function: { arguments: "{\"a\":1," } }),
    chatCall({ function: { arguments: "\"b\":2}" } }),
    ...words.map((content) => chatChunk({ content })),
    chatChunk({}, { finish_reason: "tool_calls" }),
    chatChunk({}, {}, {
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 12,
        total_tokens: 21,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 3, accepted_prediction_tokens: 1 }
      }
    }),
    { data: "[DONE]" }
  ],
  beginning: 3,
  plain: (content: string) => chatChunk({ content }),
  error: json({ error: { message: "The server had an error", type: "server_error", param: null, code: null } })
}

const compatible = {
  ...chat,
  events: [
    chatChunk({ role: "assistant", content: null, reasoning_content: "" }),
    ...words.map((reasoning_content) => chatChunk({ reasoning_content, content: null })),
    ...words.map((content) => chatChunk({ content, reasoning_content: null })),
    chatChunk({ content: null, reasoning_content: "Wait." }),
    chatChunk({ content: "Both", reasoning_content: "at once" }),
    chatChunk({ content: [{ type: "text", text: "a list" }] }),
    ...chat.events
  ],
  beginning: 12
}

interface Named extends Readonly<Record<string, unknown>> {
  readonly type: string
}

const named = (data: Named) => ({ event: data.type, ...json(data) })

const numbered = (events: ReadonlyArray<Named>) =>
  events.map((event, sequence_number) => named({ ...event, sequence_number }))

const response = {
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  status: "in_progress",
  model: "gpt-5-nano",
  error: null,
  incomplete_details: null,
  output: [],
  usage: null
}

const responsesDelta = (delta: string, rest: object = {}) => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 1,
  content_index: 0,
  delta,
  logprobs: [],
  obfuscation: "k2",
  ...rest
})

const message = { id: "msg_1", type: "message", status: "in_progress", role: "assistant", content: [] }

const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "add", arguments: "", status: "in_progress" }

const part = { type: "output_text", text: "", annotations: [], logprobs: [] }

const responses = {
  events: numbered([
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "response.output_item.added", output_index: 0, item: { id: "rs_1", type: "reasoning", summary: [] } },
    {
      type: "response.reasoning_summary_part.added",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      part: { type: "summary_text", text: "" }
    },
    ...words.map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      delta
    })),
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { id: "rs_1", type: "reasoning", encrypted_content: "abc", summary: [{ type: "summary_text", text: "" }] }
    },
    { type: "response.output_item.added", output_index: 1, item: message },
    { type: "response.content_part.added", item_id: "msg_1", output_index: 1, content_index: 0, part },
    ...words.map((word) => responsesDelta(word)),
    {
      type: "response.output_text.annotation.added",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      annotation_index: 0,
      annotation: { type: "url_citation", url: "https://example.com/", title: "Example", start_index: 0, end_index: 3 }
    },
    ...words.map((word) => responsesDelta(word, { item_id: "msg_rotated" })),
    responsesDelta("likely", { logprobs: [{ token: "likely", logprob: -0.2, top_logprobs: [] }] }),
    ...words.map((word) => responsesDelta(word)),
    { type: "response.output_text.done", item_id: "msg_1", output_index: 1, content_index: 0, text: "", logprobs: [] },
    { type: "response.content_part.done", item_id: "msg_1", output_index: 1, content_index: 0, part },
    { type: "response.output_item.done", output_index: 1, item: { ...message, content: [part] } },
    { type: "response.output_item.added", output_index: 2, item: call },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: "{\"a\":1,\"b\":2}" },
    { type: "response.output_item.done", output_index: 2, item: { ...call, arguments: "{\"a\":1,\"b\":2}" } },
    {
      type: "response.completed",
      response: {
        ...response,
        status: "completed",
        usage: {
          input_tokens: 9,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens: 12,
          output_tokens_details: { reasoning_tokens: 3 },
          total_tokens: 21
        }
      }
    }
  ]),
  beginning: 17,
  plain: (text: string) => named({ ...responsesDelta(text), sequence_number: 99 }),
  error: named({
    type: "error",
    sequence_number: 99,
    code: "server_error",
    message: "The server had an error",
    param: null
  })
}

const block = (index: number, content_block: object) => named({ type: "content_block_start", index, content_block })

const blockDelta = (index: number, delta: object) => named({ type: "content_block_delta", index, delta })

const blockText = (index: number, text: string) => blockDelta(index, { type: "text_delta", text })

const blockStop = (index: number) => named({ type: "content_block_stop", index })

const messages = {
  events: [
    named({
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [],
        model: "claude-sonnet-4-5",
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 25, cache_read_input_tokens: 3, output_tokens: 1 }
      }
    }),
    block(0, { type: "thinking", thinking: "", signature: "" }),
    named({ type: "ping" }),
    ...words.map((thinking) => blockDelta(0, { type: "thinking_delta", thinking })),
    blockDelta(0, { type: "signature_delta", signature: "EqQBCg" }),
    blockStop(0),
    block(1, { type: "text", text: "" }),
    ...words.map((word) => blockText(1, word)),
    named({ type: "ping" }),
    ...words.map((word) => blockText(1, word)),
    blockStop(1),
    block(2, { type: "tool_use", id: "toolu_1", name: "add", input: {} }),
    blockDelta(2, { type: "input_json_delta", partial_json: "" }),
    blockDelta(2, { type: "input_json_delta", partial_json: "{\"a\": 1, \"b\"" }),
    blockDelta(2, { type: "input_json_delta", partial_json: ": 2}" }),
    blockStop(2),
    block(3, { type: "text", text: "" }),
    ...words.map((word) => blockText(3, word)),
    blockStop(3),
    named({
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 15 }
    }),
    named({ type: "message_stop" })
  ],
  beginning: 16,
  plain: (text: string) => blockText(1, text),
  error: named(
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } as { readonly type: string }
  )
}

const googleChunk = (parts: ReadonlyArray<object>, rest: object = {}, usage: object = {}) =>
  json({
    candidates: [{ content: { parts, role: "model" }, index: 0, ...rest }],
    usageMetadata: {
      promptTokenCount: 4,
      candidatesTokenCount: 2,
      totalTokenCount: 6,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 4 }],
      ...usage
    },
    modelVersion: "gemini-2.5-pro",
    responseId: "resp-1"
  })

const google = {
  events: [
    ...words.map((text) => googleChunk([{ text, thought: true }])),
    ...words.map((text, index) => googleChunk([{ text }], {}, { candidatesTokenCount: index })),
    googleChunk([{ text: "signed", thoughtSignature: "c2ln" }]),
    ...words.map((text) => googleChunk([{ text }], { avgLogprobs: -0.1 })),
    googleChunk([{ text: "two" }, { text: "parts" }]),
    ...words.map((text) => googleChunk([{ text }])),
    googleChunk([{ functionCall: { id: "call_1", name: "add", args: { a: 1, b: 2 } } }]),
    ...words.map((text, index) => googleChunk([{ text }], {}, { candidatesTokenCount: 40 + index, extra: index })),
    json({ candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP", index: 0 }] })
  ],
  beginning: 10,
  plain: (text: string) => googleChunk([{ text }]),
  error: json({ error: { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" } })
}

const baseURL = "http://provider.test/v1"
const apiKey = "test"

export const documentedStreams: ReadonlyArray<DocumentedStream> = [
  {
    name: "OpenAI Chat Completions",
    format: "chat",
    client: (fetch) => createOpenAI({ fetch, baseURL, apiKey }).chat("gpt-5-nano"),
    ...chat
  },
  {
    name: "compatible Chat Completions",
    format: "chat",
    client: (fetch) => createOpenAICompatible({ fetch, baseURL, name: "test", includeUsage: true }).chatModel("any"),
    ...compatible
  },
  {
    name: "OpenAI Responses",
    format: "responses",
    client: (fetch) => createOpenAI({ fetch, baseURL, apiKey }).responses("gpt-5-nano"),
    ...responses
  },
  {
    name: "Anthropic Messages",
    format: "messages",
    client: (fetch) => createAnthropic({ fetch, baseURL, apiKey }).messages("claude-sonnet-4-5"),
    ...messages
  },
  {
    name: "Gemini",
    format: "google",
    client: (fetch) => createGoogle({ fetch, baseURL, apiKey }).chat("gemini-2.5-pro"),
    ...google
  }
]
