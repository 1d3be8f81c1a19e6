// The wire format of Mistral: Chat Completions whose last chunk has the usage, with errors of its own.
import * as OpenAiChat from "./OpenAiChat.ts"
import type { Answer, Failure } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const failure = ({ code, message, status }: Failure) => ({
  object: "error",
  message,
  type: status === 429 ? "rate_limited" : "invalid_request_error",
  param: null,
  code: code ?? null
})

const json = (answer: Answer) =>
  OpenAiChat.format.json({ ...answer, text: answer.text ?? [], usage: answer.usage ?? { input: 0, output: 0 } })

const events = ({ usage, ...answer }: Answer): ReadonlyArray<WireServer.Event> => {
  const chunks = OpenAiChat.format.events(answer)
  const last = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "wire-model",
    choices: [{
      index: 0,
      delta: { content: "" },
      finish_reason: answer.finish ?? (answer.toolCalls === undefined ? "stop" : "tool_calls")
    }],
    usage: {
      prompt_tokens: usage?.input ?? 0,
      completion_tokens: usage?.output ?? 0,
      total_tokens: (usage?.input ?? 0) + (usage?.output ?? 0)
    }
  }
  return [...chunks.slice(0, -2), WireServer.event(last), ...chunks.slice(-1)]
}

export const make = WireServer.make({ ...OpenAiChat.format, json, events, failure, provider: "mistral" })
