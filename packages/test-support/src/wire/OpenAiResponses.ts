// The wire format of OpenAI's Responses API.
import * as OpenAiChat from "./OpenAiChat.ts"
import type { Answer } from "./Reply.ts"
import * as WireServer from "./WireServer.ts"

const envelope = { id: "resp_1", object: "response", created_at: 1_700_000_000, model: "wire-model" }

type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }

const items = (answer: Answer): ReadonlyArray<Item> => [
  ...(answer.reasoning === undefined ? [] : [{
    type: "reasoning",
    id: "rs_1",
    encrypted_content: answer.reasoning.signature,
    summary: [{ type: "summary_text", text: answer.reasoning.chunks.join("") }]
  }]),
  ...(answer.text === undefined ? [] : [{
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: answer.text.join(""), annotations: [] }]
  }]),
  ...(answer.toolCalls ?? []).map((call, index) => ({
    type: "function_call",
    id: `fc_${index + 1}`,
    call_id: call.id,
    name: call.name,
    arguments: call.arguments.join(""),
    status: "completed"
  }))
]

const response = (answer: Answer) => ({
  ...envelope,
  status: answer.finish === "length" ? "incomplete" : "completed",
  error: null,
  incomplete_details: answer.finish === "length" ? { reason: "max_output_tokens" } : null,
  output: items(answer),
  usage: {
    input_tokens: answer.usage?.input ?? 0,
    input_tokens_details: { cached_tokens: answer.usage?.cacheRead ?? 0 },
    output_tokens: answer.usage?.output ?? 0,
    output_tokens_details: { reasoning_tokens: answer.usage?.reasoning ?? 0 },
    total_tokens: (answer.usage?.input ?? 0) + (answer.usage?.output ?? 0)
  }
})

const deltas = (answer: Answer, item: Item, output_index: number): ReadonlyArray<unknown> => {
  const at = { item_id: item.id, output_index }
  switch (item.type) {
    case "reasoning":
      return [
        {
          type: "response.reasoning_summary_part.added",
          ...at,
          summary_index: 0,
          part: { type: "summary_text", text: "" }
        },
        ...(answer.reasoning?.chunks ?? []).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          ...at,
          summary_index: 0,
          delta
        })),
        {
          type: "response.reasoning_summary_part.done",
          ...at,
          summary_index: 0,
          part: { type: "summary_text", text: "" }
        }
      ]
    case "message":
      return (answer.text ?? []).map((delta) => ({
        type: "response.output_text.delta",
        ...at,
        content_index: 0,
        delta
      }))
    default: {
      const call = answer.toolCalls?.find((call) => call.id === item.call_id)
      return (call?.arguments ?? []).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta }))
    }
  }
}

/** An item as it is announced: the same without its content. */
const begun = (item: Item): Item => ({
  ...item,
  status: "in_progress",
  ...("content" in item ? { content: [] } : {}),
  ...("summary" in item ? { summary: [] } : {}),
  ...("arguments" in item ? { arguments: "" } : {})
})

const events = (answer: Answer): ReadonlyArray<string> => {
  const whole = response(answer)
  const started = { ...whole, status: "in_progress", output: [], usage: null }
  const data: ReadonlyArray<unknown> = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...items(answer).flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: begun(item) },
      ...deltas(answer, item, output_index),
      { type: "response.output_item.done", output_index, item }
    ]),
    { type: answer.finish === "length" ? "response.incomplete" : "response.completed", response: whole }
  ]
  return data.map((item, sequence_number) => {
    const numbered = { ...item as { readonly type: string }, sequence_number }
    return WireServer.event(numbered, numbered.type)
  })
}

export const format: WireServer.Format = { ...OpenAiChat.format, json: response, events }

export const make = WireServer.make(format)
