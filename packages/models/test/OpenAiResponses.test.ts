import { createOpenAI } from "@ai-sdk/openai"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import type { Body } from "./ProviderCalls.ts"
import { suite } from "./ProviderSuite.ts"

const input = (body: Body): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  body.input as ReadonlyArray<Readonly<Record<string, unknown>>>

const tool = (name: string, description: string, parameters: unknown) => ({
  type: "function",
  name,
  description,
  parameters,
  strict: false
})

const modelId = "test-model"

suite({
  name: "OpenAIResponses",
  modelId,
  server: OpenAiResponses.make,
  client: (baseURL, apiKey) => createOpenAI({ baseURL, apiKey }).responses(modelId),
  eventsBeforeText: 3,
  sent: {
    tools: (body) => body.tools,
    toolChoice: (body) => body.tool_choice,
    schema: (body) => (body.text as { format: { schema: unknown } }).format.schema,
    image: (body) => (input(body).at(-1)?.content as ReadonlyArray<unknown>)[1],
    toolResults: (body) => input(body).slice(1)
  },
  expected: {
    tools: [
      tool("add", "Adds two numbers", {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
        additionalProperties: false
      }),
      tool("now", "Tells the time", { type: "object", properties: {} })
    ],
    toolChoice: { required: "required", add: { type: "function", name: "add" } },
    image: { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    imageUrl: { type: "input_image", image_url: "https://example.com/a.png" },
    toolResults: [
      { type: "function_call", call_id: "call_1", name: "add", arguments: "{\"a\":1,\"b\":2}" },
      { type: "function_call", call_id: "call_2", name: "now", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "3" },
      { type: "function_call_output", call_id: "call_2", output: "{\"error\":\"The arguments are no JSON\"}" }
    ]
  }
})
