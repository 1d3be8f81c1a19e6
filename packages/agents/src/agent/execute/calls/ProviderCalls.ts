// Calls that the provider has executed in an answer of the model. They are part of the answer, so the run shows them
// when it is complete, and a replay finds them in it. Hooks see their results, which the model has read already.
import type * as Json from "@svc-runtime/domain/Json"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { cut, defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import { Effect, Predicate } from "effect"
import { Prompt, type Response } from "effect/ai"
import * as HookStages from "../hooks/HookStages.ts"
import type { StepResult } from "../model/ModelStep.ts"
import type { RunRecorder } from "../RunRecorder.ts"
import * as Turn from "../Turn.ts"

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

/** Of a result that hooks have changed: providers accept only their own. */
const changed = { svc: { isChanged: true } } as const

const isChanged = (part: Part): boolean =>
  part.type === "tool-result" && Predicate.hasProperty(part.options["svc"], "isChanged")

type Results = ReadonlyMap<string, string>

const withResults = (parts: ReadonlyArray<Response.AnyPart>, results: Results): Array<Response.AnyPart> =>
  parts.map((part) => {
    const result = part.type === "tool-result" ? results.get(part.id) : undefined
    if (result === undefined) return part
    const metadata = { ...part.metadata, ...changed }
    return { ...part, result, encodedResult: result, modelOutput: undefined, metadata } as Response.AnyPart
  })

/** A new answer with the results of its calls as the hooks have left them. */
export const passed = Effect.fnUntraced(function*(hooked: HookStages.Hooked, answer: StepResult, created_at: number) {
  const calls = of(Prompt.fromResponseParts(answer.parts), created_at)
  const results = new Map<string, string>()
  for (const { result, tool_args, tool_call_error, tool_call_id, tool_name } of calls) {
    const call = { tool: tool_name, toolCallId: tool_call_id, args: tool_args, isError: tool_call_error === true }
    const after = yield* HookStages.afterTool(hooked, call, result ?? "")
    if (after.isChanged) results.set(tool_call_id, after.value)
  }
  if (results.size === 0) return { answer, calls }
  const parts = withResults(answer.parts, results)
  // the sources of the answer are those of the results
  return { answer: { ...answer, parts, citations: undefined }, calls: of(Prompt.fromResponseParts(parts), created_at) }
})

/** What the next request has of an answer: without calls whose result hooks have changed. */
export const sendable = (answer: Prompt.Prompt): Prompt.Prompt => {
  const left = new Set(partsOf(answer).flatMap((part) => isChanged(part) && "id" in part ? [part.id] : []))
  if (left.size === 0) return answer
  const isKept = (part: Part) => (part.type !== "tool-call" && part.type !== "tool-result") || !left.has(part.id)
  return Prompt.fromMessages(answer.content.flatMap((message): ReadonlyArray<Prompt.Message> => {
    if (message.role !== "assistant" && message.role !== "tool") return [message]
    const content = (message.content as ReadonlyArray<Part>).filter(isKept)
    return content.length === 0 ? [] : [{ ...message, content } as Prompt.Message]
  }))
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
