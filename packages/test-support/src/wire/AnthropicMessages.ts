// The wire format of Anthropic's Messages API.
import type { Answer, Failure } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const envelope = { id: "msg_1", type: "message", role: "assistant", model: "wire-model" }

const stopReason = (answer: Answer): string => {
  if (answer.finish === "length") return "max_tokens"
  return answer.toolCalls === undefined ? "end_turn" : "tool_use"
}

const inputUsage = ({ usage }: Answer) => {
  const read = usage?.cacheRead ?? 0
  const written = usage?.cacheWrite ?? 0
  return {
    input_tokens: (usage?.input ?? 0) - read - written,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written
  }
}

const outputUsage = ({ usage }: Answer) => ({
  output_tokens: usage?.output ?? 0,
  ...(usage?.reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } })
})

interface Block {
  readonly whole: unknown
  readonly begun: unknown
  readonly deltas: ReadonlyArray<unknown>
}

const parsed = (text: string): unknown => text === "" ? {} : JSON.parse(text)

const blocks = (answer: Answer, parse: (text: string) => unknown): ReadonlyArray<Block> => [
  ...(answer.reasoning === undefined ? [] : [{
    whole: { type: "thinking", thinking: answer.reasoning.chunks.join(""), signature: answer.reasoning.signature },
    begun: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...answer.reasoning.chunks.map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: answer.reasoning.signature }
    ]
  }]),
  ...(answer.text === undefined ? [] : [{
    whole: { type: "text", text: answer.text.join("") },
    begun: { type: "text", text: "" },
    deltas: answer.text.map((text) => ({ type: "text_delta", text }))
  }]),
  ...(answer.toolCalls ?? []).map((call) => ({
    whole: { type: "tool_use", id: call.id, name: call.name, input: parse(call.arguments.join("")) },
    begun: { type: "tool_use", id: call.id, name: call.name, input: {} },
    deltas: call.arguments.map((partial_json) => ({ type: "input_json_delta", partial_json }))
  }))
]

const json = (answer: Answer) => ({
  ...envelope,
  content: blocks(answer, parsed).map((block) => block.whole),
  stop_reason: stopReason(answer),
  stop_sequence: null,
  usage: { ...inputUsage(answer), ...outputUsage(answer) }
})

const events = (answer: Answer): ReadonlyArray<string> => {
  const message = {
    ...envelope,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage(answer), output_tokens: 1 }
  }
  const data: ReadonlyArray<{ readonly type: string }> = [
    { type: "message_start", message } as { readonly type: string },
    { type: "ping" },
    ...blocks(answer, () => ({})).flatMap((block, index) => [
      { type: "content_block_start", index, content_block: block.begun },
      ...block.deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index }
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: outputUsage(answer)
    } as { readonly type: string },
    { type: "message_stop" }
  ]
  return data.map((item) => WireServer.event(item, item.type))
}

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
  529: "overloaded_error"
}

const failure = ({ message, status }: Failure) => ({
  type: "error",
  error: { type: errorTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"), message }
})

export const format: WireServer.Format = {
  json,
  events,
  failure,
  key: (headers) => String(headers["x-api-key"] ?? "")
}

export const make = WireServer.make(format)
