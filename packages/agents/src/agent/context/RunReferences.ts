// The references of a run: what searches of its knowledge have shown its model. They are read from its messages and its
// tool calls, so that a run that is resumed has them too.
import type * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeReference from "@svc-runtime/features/knowledge/KnowledgeReference"
import * as KnowledgeTools from "@svc-runtime/features/knowledge/KnowledgeTools"
import { Option, Schema } from "effect"
import type { Agent } from "../Agent.ts"
import type { RunRecorder } from "../RunRecorder.ts"

const decodeShown = Schema.decodeUnknownOption(KnowledgeReference.References)
const decodeResult = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Array(KnowledgeReference.Reference))
)

const queryOf = (args: Json.Value | undefined): string =>
  typeof args === "object" && args !== null && "query" in args ? String(args.query) : ""

/** In the order of the searches. */
export const of = (
  { knowledge }: Pick<Agent, "knowledge">,
  { messages, tools }: Pick<RunRecorder, "messages" | "tools">
): ReadonlyArray<Json.Value> => {
  if (knowledge === undefined) return []
  const shown = messages.flatMap(({ references }) => Option.toArray(decodeShown(references)))
  const found = tools.flatMap(({ metrics, result, tool_args, tool_call_error, tool_name }) =>
    tool_name !== KnowledgeTools.toolName || tool_call_error === true ? [] : Option.toArray(decodeResult(result)).map(
      (references) => ({ query: queryOf(tool_args), references, time: metrics?.duration ?? 0 })
    )
  )
  return [...shown, ...found].filter(({ references }) => references.length > 0).map(KnowledgeReference.toJson)
}
