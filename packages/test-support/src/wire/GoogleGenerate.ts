// The wire format of Google's generateContent. Its calls arrive whole, with arguments that are objects.
import { Option, Schema } from "effect"
import type { Answer, Failure, ToolCall } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

/** The arguments of a call, for formats in which they are an object. */
export const objectOf = (call: ToolCall): Schema.Json => Option.getOrElse(decode(call.arguments.join("")), () => ({}))

const callPart = (call: ToolCall) => ({ functionCall: { id: call.id, name: call.name, args: objectOf(call) } })

const usage = ({ usage }: Answer) =>
  usage === undefined ? {} : {
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cacheRead ?? 0,
      candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
      thoughtsTokenCount: usage.reasoning ?? 0,
      totalTokenCount: usage.input + usage.output
    }
  }

const chunk = (parts: ReadonlyArray<unknown>, rest: object = {}) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...rest }],
  modelVersion: "wire-model",
  responseId: "response-1"
})

const end = (answer: Answer) => ({ finishReason: answer.finish === "length" ? "MAX_TOKENS" : "STOP" })

const json = (answer: Answer) => ({
  ...chunk([
    ...answer.text === undefined ? [] : [{ text: answer.text.join("") }],
    ...(answer.toolCalls ?? []).map(callPart)
  ], end(answer)),
  ...usage(answer)
})

const events = (answer: Answer): ReadonlyArray<string> => [
  ...(answer.text ?? []).map((text) => WireServer.event(chunk([{ text }]))),
  ...(answer.toolCalls ?? []).map((call) => WireServer.event(chunk([callPart(call)]))),
  WireServer.event({ ...chunk([{ text: "" }], end(answer)), ...usage(answer) })
]

const failure = ({ message, status }: Failure) => ({
  error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "INVALID_ARGUMENT" }
})

export const format: WireServer.Format = {
  json,
  events,
  failure,
  key: (headers) => String(headers["x-goog-api-key"]),
  streams: ({ path }) => path.includes(":streamGenerateContent")
}

export const make = WireServer.make(format, "/v1beta")
