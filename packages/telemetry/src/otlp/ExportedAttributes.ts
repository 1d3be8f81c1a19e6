// The attributes of a span as they leave the service. Content leaves it only where the operator allows it, and then
// under the names of the GenAI conventions too.
import type * as Span from "@svc-runtime/domain/Span"
import * as Content from "../Content.ts"

type Names = Readonly<Record<string, string>>

/** By the kind of OpenInference. */
const conventions: Readonly<Record<string, Names>> = {
  LLM: { "input.value": "gen_ai.input.messages", "output.value": "gen_ai.output.messages" },
  TOOL: { "input.value": "gen_ai.tool.call.arguments", "output.value": "gen_ai.tool.call.result" },
  RETRIEVER: { "input.value": "gen_ai.retrieval.query.text", "output.value": "gen_ai.retrieval.documents" }
}

/** The names of content, also under the conventions. */
export const contentNames: ReadonlySet<string> = new Set([
  ...Content.names,
  ...Object.values(conventions).flatMap((names) => Object.values(names))
])

const none: Names = {}

export const forEach = (
  attributes: Span.Attributes,
  hasContent: boolean,
  use: (name: string, value: Span.AttributeValue) => void
): void => {
  const kind = attributes["openinference.span.kind"]
  const names = hasContent && typeof kind === "string" ? conventions[kind] ?? none : none
  for (const name in attributes) {
    if (!hasContent && Content.names.has(name)) continue
    const value = attributes[name]
    if (value === undefined) continue
    use(name, value)
    const other = names[name]
    if (other !== undefined) use(other, value)
  }
}
