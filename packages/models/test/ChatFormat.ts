// Where Chat Completions puts things, for the clients that speak it.
import type { Body, Subject } from "./ProviderCalls.ts"

type Message = Readonly<Record<string, unknown>>

const messages = (body: Body): ReadonlyArray<Message> => body.messages as ReadonlyArray<Message>

const last = (body: Body): unknown => messages(body).at(-1)?.content

export const chatSent: Subject["sent"] = {
  tools: (body) => body.tools,
  toolChoice: (body) => body.tool_choice,
  schema: (body) => (body.response_format as { json_schema: { schema: unknown } }).json_schema.schema,
  image: (body) => (last(body) as ReadonlyArray<unknown>)[1],
  toolResults: (body) => messages(body).slice(1)
}

const tool = (name: string, description: string, parameters: unknown) => ({
  type: "function",
  function: { name, description, parameters }
})

export const chatExpectations = {
  tools: [
    tool("add", "Adds two numbers", {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
      additionalProperties: false
    }),
    tool("now", "Tells the time", { type: "object", properties: {} })
  ],
  toolChoice: { required: "required", add: { type: "function", function: { name: "add" } } },
  image: { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
  imageUrl: { type: "image_url", image_url: { url: "https://example.com/a.png" } },
  toolResults: [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "add", arguments: "{\"a\":1,\"b\":2}" } },
        { id: "call_2", type: "function", function: { name: "now", arguments: "{}" } }
      ]
    },
    { role: "tool", tool_call_id: "call_1", content: "3" },
    { role: "tool", tool_call_id: "call_2", content: "{\"error\":\"The arguments are no JSON\"}" }
  ]
} as const satisfies Subject["expected"]
