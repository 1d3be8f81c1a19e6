// Requests to a model as a text that people read and that snapshots compare: what the model is shown, in its order, and
// nothing that differs between two runs of a test.
import { Predicate } from "effect"
import type { Prompt } from "effect/ai"
import type { Call } from "../ScriptedModel.ts"

const indented = (text: string): string => text.replaceAll("\n", "\n  ")

const json = (value: unknown): string => Predicate.isString(value) ? value : JSON.stringify(value)

const ofPart = (part: Prompt.Part): string => {
  switch (part.type) {
    case "text":
      return part.text
    case "reasoning":
      return `(reasoning) ${part.text}`
    case "tool-call":
      return `→ ${part.name} ${json(part.params)}`
    case "tool-result":
      return `${part.name} → ${json(part.result)}`
    case "file":
      return `(file ${part.mediaType})`
    default:
      return `(${part.type})`
  }
}

const ofMessage = ({ content, role }: Prompt.Message): string => {
  const parts = Predicate.isString(content) ? [content] : content.map(ofPart)
  return `${role}: ${indented(parts.join("\n"))}`
}

const ofTools = ({ tools }: Call): ReadonlyArray<string> =>
  tools.length === 0 ? [] : [`tools: ${tools.map(({ name }) => name).join(", ")}`]

const ofFormat = ({ responseFormat }: Call): ReadonlyArray<string> =>
  responseFormat.type === "json" ? [`format: ${responseFormat.name}`] : []

const ofCall = (call: Call): string =>
  [...call.prompt.content.map(ofMessage), ...ofTools(call), ...ofFormat(call)].join("\n")

export const make = (calls: ReadonlyArray<Call>): string =>
  calls.map((call, index) => `# Request ${index + 1}\n${ofCall(call)}\n`).join("\n")
