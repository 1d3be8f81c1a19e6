// Messages of models in the form of the conventions (`gen_ai.input.messages`): a role and parts. Bytes of files are
// left out.
import type { Prompt } from "effect/ai"

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

type Part = Readonly<Record<string, unknown>>

interface Message {
  readonly role: string
  readonly parts: ReadonlyArray<Part>
}

const partOf = (part: Prompt.Part): Part => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text }
    case "file":
      return { type: "blob", mime_type: part.mediaType, name: part.fileName }
    case "tool-call":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.params }
    case "tool-result":
      return { type: "tool_call_response", id: part.id, name: part.name, response: part.result }
    default:
      return { type: part.type }
  }
}

const messageOf = ({ content, role }: Prompt.Message): Message => ({
  role,
  parts: typeof content === "string" ? [{ type: "text", content }] : content.map(partOf)
})

/** More than what fits into a value: the last messages, behind the first one, which has the instructions. */
const most = 50

export const ofPrompt = ({ content }: Prompt.Prompt): ReadonlyArray<Message> => {
  const shown = content.length <= most ? content : [...content.slice(0, 1), ...content.slice(1 - most)]
  return shown.map(messageOf)
}

export const ofAnswer = (
  { calls, text }: { readonly text: string; readonly calls: ReadonlyArray<Call> }
): ReadonlyArray<Message> => [{
  role: "assistant",
  parts: [
    ...(text === "" ? [] : [{ type: "text", content: text }]),
    ...calls.map(({ id, input, name }) => ({ type: "tool_call", id, name, arguments: input }))
  ]
}]
