// The wire format of Ollama's own chat. Its streams are lines of JSON.
import { objectOf } from "./GoogleGenerate.ts"
import type { Answer, Failure, ToolCall } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const envelope = { model: "wire-model", created_at: "2026-01-01T00:00:00Z" }

const callOf = (call: ToolCall) => ({ id: call.id, function: { name: call.name, arguments: objectOf(call) } })

const end = (answer: Answer) => ({
  done: true,
  done_reason: answer.finish ?? "stop",
  prompt_eval_count: answer.usage?.input ?? 0,
  eval_count: answer.usage?.output ?? 0
})

const calls = ({ toolCalls }: Answer) => toolCalls === undefined ? {} : { tool_calls: toolCalls.map(callOf) }

const json = (answer: Answer) => ({
  ...envelope,
  message: { role: "assistant", content: answer.text?.join("") ?? "", ...calls(answer) },
  ...end(answer)
})

const events = (answer: Answer): ReadonlyArray<string> =>
  [
    ...(answer.text ?? []).map((content) => ({ ...envelope, message: { role: "assistant", content }, done: false })),
    ...(answer.toolCalls === undefined
      ? []
      : [{ ...envelope, message: { role: "assistant", content: "", ...calls(answer) }, done: false }]),
    { ...envelope, message: { role: "assistant", content: "" }, ...end(answer) }
  ].map((line) => `${JSON.stringify(line)}\n`)

export const make = WireServer.make({
  json,
  events,
  failure: ({ message }: Failure) => ({ error: message }),
  key: () => "",
  streamType: "application/x-ndjson"
}, "/api")
