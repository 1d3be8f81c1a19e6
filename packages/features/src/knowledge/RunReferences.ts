// The references of a run: what searches of its knowledge have shown its model. They are read from its messages and its
// tool calls, so that a run that is resumed has them too.
import type { RunRecorder } from "@svc-runtime/agents/agent/execute/RunRecorder"
import type * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import * as KnowledgeReference from "./KnowledgeReference.ts"
import * as KnowledgeTools from "./KnowledgeTools.ts"

const decodeShown = Schema.decodeUnknownOption(KnowledgeReference.References)
const decodeResult = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Array(KnowledgeReference.Reference))
)

const queryOf = (args: Json.Value | undefined): string =>
  typeof args === "object" && args !== null && "query" in args ? String(args.query) : ""

/** In the order of the searches. */
export const of = (
  { messages, tools }: Pick<RunRecorder, "messages" | "tools">
): ReadonlyArray<Json.Value> => {
  const shown = messages.flatMap(({ references }) => Option.toArray(decodeShown(references)))
  const found = tools.flatMap(({ metrics, result, tool_args, tool_call_error, tool_name }) =>
    tool_name !== KnowledgeTools.toolName || tool_call_error === true ? [] : Option.toArray(decodeResult(result)).map(
      (references) => ({ query: queryOf(tool_args), references, time: metrics?.duration ?? 0 })
    )
  )
  return [...shown, ...found].filter(({ references }) => references.length > 0).map(KnowledgeReference.toJson)
}
