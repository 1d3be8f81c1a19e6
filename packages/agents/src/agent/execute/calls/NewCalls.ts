// The calls of a new answer of the model, before they are stored: their arguments as the hooks leave them, and whether
// a person confirms them because of their arguments.
import type * as Message from "@svc-runtime/domain/Message"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import { Effect } from "effect"
import type { Agent } from "../../define/Agent.ts"
import type { ModelTurn } from "../AgentJournal.ts"
import * as HookStages from "../hooks/HookStages.ts"
import * as ToolHooks from "../hooks/ToolHooks.ts"
import * as ModelAnswer from "../model/ModelAnswer.ts"
import * as ModelStep from "../model/ModelStep.ts"
import type { RunRecorder } from "../RunRecorder.ts"
import * as Turn from "../Turn.ts"
import * as SourceTools from "./SourceTools.ts"

interface Caller {
  readonly recorder: RunRecorder
  readonly command: { readonly agent: Agent }
  readonly context: RunContext
  readonly hooked: HookStages.Hooked
}

export interface Response {
  readonly message: Message.Message
  readonly result: ModelStep.StepResult
}

export interface NewCalls extends Response {
  readonly turn: Turn.Turn
  readonly hooked: NonNullable<ModelTurn["hooked"]>
}

/** The message has the arguments that the hooks have passed. */
const passed = Effect.fnUntraced(function*(caller: Caller, { message, result }: Response, turn: Turn.Turn) {
  if (!HookStages.hasBeforeTool(caller.hooked)) return { message, result, turn, hooked: [] }
  const { recorder } = caller
  const { calls, entries: hooked } = yield* ToolHooks.passed(caller, turn, result.calls)
  const shown = { ...message, tool_calls: ModelStep.toolCallsOf(calls) }
  recorder.messages[recorder.messages.lastIndexOf(message)] = shown
  const written = { ...result, calls, parts: ModelAnswer.withCalls(result.parts, calls) }
  return { message: shown, result: written, turn: { ...turn, calls }, hooked }
})

const markAsking = Effect.fnUntraced(function*({ command: { agent }, context, recorder }: Caller, turn: Turn.Turn) {
  for (const index of turn.calls.keys()) {
    const confirms = Turn.toolOf(agent, turn, index)?.confirms
    const execution = recorder.tools[turn.places[index] ?? -1]
    if (confirms === undefined || execution === undefined) continue
    const { tool_args, tool_call_id: toolCallId } = execution
    if (yield* confirms(tool_args, { ...context, toolCallId })) turn.asking.add(index)
  }
})

export const of = Effect.fnUntraced(function*(
  caller: Caller,
  response: Response,
  given: Pick<Turn.Opening, "called" | "remaining" | "step">
) {
  const { command: { agent }, recorder } = caller
  const { message: { created_at } } = response
  const result = {
    ...response.result,
    calls: response.result.calls.map((call) => ({ ...call, offered_by: SourceTools.offeredBy(agent, call.name) }))
  }
  const calls = ToolHooks.withheld(caller.hooked, result.calls)
  const isCut = result.response.finishReason === "length"
  const opening = { ...given, calls, created_at, isCut }
  const made: NewCalls = yield* passed(caller, { ...response, result }, Turn.open(agent, recorder, opening))
  yield* markAsking(caller, made.turn)
  return made
})
