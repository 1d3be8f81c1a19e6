// The wire format of the Vercel AI Gateway: requests and parts of the AI SDK as JSON.
import type { Answer, Failure } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const usageOf = ({ usage = { input: 0, output: 0 } }: Answer) => {
  const { cacheRead = 0, input, output, reasoning = 0 } = usage
  return {
    inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: 0 },
    outputTokens: { total: output, text: output - reasoning, reasoning }
  }
}

const finishReason = ({ finish, toolCalls = [] }: Answer) => {
  const unified = finish === "length" ? "length" : toolCalls.length > 0 ? "tool-calls" : "stop"
  return { unified, raw: unified }
}

const callsOf = ({ toolCalls = [] }: Answer) =>
  toolCalls.map(({ arguments: parts, id, name }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: parts.join("")
  }))

const json = (answer: Answer) => ({
  content: [...(answer.text === undefined ? [] : [{ type: "text", text: answer.text.join("") }]), ...callsOf(answer)],
  finishReason: finishReason(answer),
  usage: usageOf(answer),
  warnings: []
})

const events = (answer: Answer): ReadonlyArray<string> =>
  [
    { type: "stream-start", warnings: [] },
    ...(answer.text === undefined ? [] : [
      { type: "text-start", id: "0" },
      ...answer.text.map((delta) => ({ type: "text-delta", id: "0", delta })),
      { type: "text-end", id: "0" }
    ]),
    ...callsOf(answer),
    { type: "finish", finishReason: finishReason(answer), usage: usageOf(answer) }
  ].map((part) => WireServer.event(part))

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "model_not_found",
  429: "rate_limit_exceeded"
}

const failure = ({ message, status }: Failure) => ({
  error: { message, type: types[status] ?? "internal_server_error", param: null, code: null }
})

export const make = WireServer.make({
  json,
  events,
  failure,
  key: (headers) => String(headers.authorization),
  provider: "gateway",
  streams: ({ headers }) => headers["ai-language-model-streaming"] === "true"
}, "/v4/ai")
