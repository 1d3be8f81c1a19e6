// The wire format of Bedrock's Converse. Its streams are binary: each event has headers, a body and two checksums.
import { crc32 } from "node:zlib"
import { objectOf } from "./GoogleGenerate.ts"
import type { Answer, Failure, ToolCall } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const end = (answer: Answer) => ({
  stopReason: answer.finish === "length"
    ? "max_tokens"
    : answer.toolCalls === undefined
    ? "end_turn"
    : "tool_use"
})

const usage = ({ usage }: Answer) => ({
  usage: {
    inputTokens: (usage?.input ?? 0) - (usage?.cacheRead ?? 0),
    outputTokens: usage?.output ?? 0,
    totalTokens: (usage?.input ?? 0) + (usage?.output ?? 0),
    cacheReadInputTokens: usage?.cacheRead ?? 0
  },
  metrics: { latencyMs: 1 }
})

const json = (answer: Answer) => ({
  output: {
    message: {
      role: "assistant",
      content: [
        ...(answer.text === undefined ? [] : [{ text: answer.text.join("") }]),
        ...(answer.toolCalls ?? []).map((call) => ({
          toolUse: { toolUseId: call.id, name: call.name, input: objectOf(call) }
        }))
      ]
    }
  },
  ...end(answer),
  ...usage(answer)
})

const string = 7

const header = (name: string, value: string): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([string]),
    length,
    Buffer.from(value)
  ])
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const summed = (bytes: Buffer): Buffer => Buffer.concat([bytes, number(crc32(bytes))])

const frame = (type: string, data: unknown): Uint8Array => {
  const body = Buffer.from(JSON.stringify(data))
  const headers = Buffer.concat([
    header(":message-type", "event"),
    header(":event-type", type),
    header(":content-type", "application/json")
  ])
  const checksum = 4
  const lengths = summed(
    Buffer.concat([number(8 + checksum + headers.length + body.length + checksum), number(headers.length)])
  )
  return summed(Buffer.concat([lengths, headers, body]))
}

const delta = (contentBlockIndex: number, delta: object) => frame("contentBlockDelta", { contentBlockIndex, delta })

const block = (index: number, deltas: ReadonlyArray<object>) => [
  ...deltas.map((piece) => delta(index, piece)),
  frame("contentBlockStop", { contentBlockIndex: index })
]

const callBlock = (call: ToolCall, index: number) => [
  frame("contentBlockStart", {
    contentBlockIndex: index,
    start: { toolUse: { toolUseId: call.id, name: call.name } }
  }),
  ...block(index, call.arguments.map((input) => ({ toolUse: { input } })))
]

const events = (answer: Answer): ReadonlyArray<Uint8Array> => [
  frame("messageStart", { role: "assistant" }),
  ...(answer.text === undefined ? [] : block(0, answer.text.map((text) => ({ text })))),
  ...(answer.toolCalls ?? []).flatMap((call, index) => callBlock(call, index + 1)),
  frame("messageStop", end(answer)),
  frame("metadata", usage(answer))
]

export const make = WireServer.make({
  json,
  events,
  failure: ({ message }: Failure) => ({ message }),
  key: (headers) => headers.authorization ?? "",
  streamType: "application/vnd.amazon.eventstream",
  streams: ({ path }) => path.endsWith("/converse-stream")
}, "")
