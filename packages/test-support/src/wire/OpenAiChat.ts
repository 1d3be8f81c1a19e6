// The wire format of OpenAI's Chat Completions, with `reasoning_content` as OpenAI-compatible servers write it.
import type { Answer, Failure, Reply, ToolCall } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const envelope = { id: "chatcmpl-1", created: 1_700_000_000, model: "wire-model" }

const finishReason = (answer: Answer): string =>
  answer.finish ?? (answer.toolCalls === undefined ? "stop" : "tool_calls")

const usage = ({ usage }: Answer) =>
  usage === undefined ? undefined : {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 }
  }

const toolCall = (call: ToolCall) => ({
  id: call.id,
  type: "function",
  function: { name: call.name, arguments: call.arguments.join("") }
})

const json = (answer: Answer) => ({
  ...envelope,
  object: "chat.completion",
  choices: [{
    index: 0,
    finish_reason: finishReason(answer),
    message: {
      role: "assistant",
      content: answer.text?.join("") ?? null,
      ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning.chunks.join("") }),
      ...(answer.toolCalls === undefined ? {} : { tool_calls: answer.toolCalls.map(toolCall) })
    }
  }],
  usage: usage(answer)
})

/** The calls begin one after the other; then their arguments arrive in turns, as parallel calls do. */
const toolDeltas = (calls: ReadonlyArray<ToolCall>): ReadonlyArray<unknown> => {
  const starts = calls.map((call, index) => ({
    tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }]
  }))
  const maxLength = Math.max(0, ...calls.map((call) => call.arguments.length))
  const rounds = Array.from({ length: maxLength }, (_, round) =>
    calls.flatMap((call, index) => {
      const piece = call.arguments[round]
      return piece === undefined ? [] : [{ tool_calls: [{ index, function: { arguments: piece } }] }]
    }))
  return [...starts, ...rounds.flat()]
}

const events = (answer: Answer): ReadonlyArray<string> => {
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    WireServer.event({ ...envelope, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })
  const used = usage(answer)
  return [
    chunk({ role: "assistant", content: "" }),
    ...(answer.reasoning?.chunks ?? []).map((piece) => chunk({ reasoning_content: piece })),
    ...(answer.text ?? []).map((piece) => chunk({ content: piece })),
    ...toolDeltas(answer.toolCalls ?? []).map((delta) => chunk(delta)),
    chunk({}, finishReason(answer)),
    ...(used === undefined
      ? []
      : [WireServer.event({ ...envelope, object: "chat.completion.chunk", choices: [], usage: used })]),
    WireServer.event("[DONE]")
  ]
}

const failure = ({ code, message, status }: Failure) => ({
  error: {
    message,
    type: status === 429 ? "rate_limit_error" : "invalid_request_error",
    param: null,
    code: code ?? null
  }
})

export const format: WireServer.Format = {
  json,
  events,
  failure,
  key: (headers) => headers.authorization?.replace(/^Bearer /, "") ?? ""
}

export const make = WireServer.make(format)

/** For tests that cannot know how many requests will come. */
export const answering = (reply: (request: WireServer.RecordedRequest) => Reply) =>
  WireServer.make(format, "/v1", reply)
