// Calls that the provider has executed in an answer of the model. They are part of the answer, so the run shows them
// when it is complete, and a replay finds them in it.
import type * as Json from "@svc/domain/Json"
import * as ToolExecution from "@svc/domain/ToolExecution"
import type { Prompt } from "effect/ai"
import { cut, defaultByteLimits } from "../ByteLimits.ts"
import type { RunRecorder } from "./RunRecorder.ts"
import * as Turn from "./Turn.ts"

type Part = Exclude<Prompt.Message["content"], string>[number]

const partsOf = ({ content }: Prompt.Prompt): ReadonlyArray<Part> =>
  content.flatMap((message): ReadonlyArray<Part> => typeof message.content === "string" ? [] : message.content)

const textOf = (result: unknown): string => typeof result === "string" ? result : JSON.stringify(result) ?? ""

/** In the order of the answer. A call without a result in it is not complete. */
export const of = (
  answer: Prompt.Prompt,
  created_at: number
): ReadonlyArray<ToolExecution.ToolExecution> => {
  const parts = partsOf(answer)
  return parts.flatMap((part) => {
    if (part.type !== "tool-call" || !part.providerExecuted) return []
    const tool_args: Json.Value = Turn.argumentsOf(part.params)
    const requested = ToolExecution.requested({ tool_call_id: part.id, tool_name: part.name, tool_args, created_at })
    const found = parts.find((other) => other.type === "tool-result" && other.id === part.id)
    return found?.type !== "tool-result"
      ? [{ ...requested, tool_call_error: false, result: "" }]
      : [{
        ...requested,
        tool_call_error: found.isFailure,
        result: cut(textOf(found.result), defaultByteLimits.toolResult)
      }]
  })
}

/** Shows the calls of a new answer. */
export const show = (recorder: RunRecorder, calls: ReadonlyArray<ToolExecution.ToolExecution>): void => {
  for (const tool of calls) {
    recorder.tools.push(tool)
    recorder.emit({ event: "ToolCallStarted", tool: { ...tool, result: null, tool_call_error: null } })
    recorder.emit({ event: "ToolCallCompleted", tool, content: `${tool.tool_name} was executed by the provider. ` })
    if (tool.tool_call_error === true) recorder.emit({ event: "ToolCallError", tool, error: tool.result ?? "" })
  }
}
