// The wire format of Cohere's chat, version 2.
import * as OpenAiChat from "./OpenAiChat.ts"
import type { Answer, Failure, ToolCall } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const end = (answer: Answer) => ({
  finish_reason: answer.finish === "length" ? "MAX_TOKENS" : answer.toolCalls === undefined ? "COMPLETE" : "TOOL_CALL",
  usage: {
    tokens: { input_tokens: answer.usage?.input ?? 0, output_tokens: answer.usage?.output ?? 0 },
    cached_tokens: answer.usage?.cacheRead ?? 0
  }
})

const called = ({ id, name }: ToolCall, text: string) => ({ id, type: "function", function: { name, arguments: text } })

const json = (answer: Answer) => ({
  id: "chat-1",
  message: {
    role: "assistant",
    ...(answer.text === undefined ? {} : { content: [{ type: "text", text: answer.text.join("") }] }),
    ...(answer.toolCalls === undefined
      ? {}
      : { tool_calls: answer.toolCalls.map((call) => called(call, call.arguments.join(""))) })
  },
  ...end(answer)
})

const message = (type: string, content: object, index = 0) => ({ type, index, delta: { message: content } })

const textEvents = ({ text = [] }: Answer) =>
  text.length === 0 ? [] : [
    message("content-start", { content: { type: "text", text: "" } }),
    ...text.map((piece) => message("content-delta", { content: { text: piece } })),
    { type: "content-end", index: 0 }
  ]

const callEvents = (call: ToolCall, index: number) => [
  message("tool-call-start", { tool_calls: called(call, "") }, index),
  ...call.arguments.map((piece) =>
    message("tool-call-delta", { tool_calls: { function: { arguments: piece } } }, index)
  ),
  { type: "tool-call-end", index }
]

const events = (answer: Answer): ReadonlyArray<string> =>
  [
    { type: "message-start", id: "chat-1", delta: { message: { role: "assistant" } } },
    ...textEvents(answer),
    ...(answer.toolCalls ?? []).flatMap(callEvents),
    { type: "message-end", delta: end(answer) }
  ].map((data) => WireServer.event(data, data.type))

export const make = WireServer.make({
  json,
  events,
  failure: ({ message }: Failure) => ({ id: "failure-1", message }),
  key: OpenAiChat.format.key
}, "/v2")
