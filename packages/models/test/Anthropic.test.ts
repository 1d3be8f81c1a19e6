import { createAnthropic } from "@ai-sdk/anthropic"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import type { Body } from "./ProviderCalls.ts"
import { suite } from "./ProviderSuite.ts"

type Message = Readonly<Record<string, unknown>>

const messages = (body: Body): ReadonlyArray<Message> => body.messages as ReadonlyArray<Message>

const modelId = "claude-sonnet-4-5"

suite({
  name: "Claude",
  modelId,
  server: AnthropicMessages.make,
  client: (baseURL, apiKey) => createAnthropic({ baseURL, apiKey }).messages(modelId),
  eventsBeforeText: 3,
  sent: {
    tools: (body) => (body.tools as ReadonlyArray<Message>).map(({ eager_input_streaming: _, ...tool }) => tool),
    toolChoice: (body) => body.tool_choice,
    schema: (body) => (body.output_config as { format: { schema: unknown } }).format.schema,
    image: (body) => (messages(body).at(-1)?.content as ReadonlyArray<unknown>)[1],
    toolResults: (body) => messages(body).slice(1)
  },
  expected: {
    tools: [
      {
        name: "add",
        description: "Adds two numbers",
        input_schema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
          additionalProperties: false
        }
      },
      { name: "now", description: "Tells the time", input_schema: { type: "object", properties: {} } }
    ],
    toolChoice: { required: { type: "any" }, add: { type: "tool", name: "add" } },
    image: { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    imageUrl: { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    toolResults: [
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "call_1", name: "add", input: { a: 1, b: 2 } },
          { type: "tool_use", id: "call_2", name: "now", input: {} }
        ]
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "3" },
          { type: "tool_result", tool_use_id: "call_2", content: "The arguments are no JSON", is_error: true }
        ]
      }
    ]
  }
})
