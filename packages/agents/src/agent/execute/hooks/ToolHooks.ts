// The hooks around the calls of a model answer. Those before the calls have all ended when the first call begins, so a
// rejection leaves none half-done. Arguments are stored, shown and used only as they leave them.
import type * as Json from "@svc-runtime/domain/Json"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { ByteLimits, cutFor, type ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Effect, Equal } from "effect"
import type { Agent } from "../../define/Agent.ts"
import type { Answered, Hooked } from "../AgentJournal.ts"
import type { RequestedCall } from "../model/ModelAnswer.ts"
import type { RunRecorder } from "../RunRecorder.ts"
import * as Turn from "../Turn.ts"
import { stored } from "./HookFailure.ts"
import * as HookStages from "./HookStages.ts"

interface Hooking {
  readonly recorder: RunRecorder
  readonly hooked: HookStages.Hooked
}

interface Caller extends Hooking {
  readonly agent: Agent
  /** Returns when it is stored what hooks have changed before calls. */
  readonly onHooked: (hooked: Hooked) => Effect.Effect<void, ValueTooLarge>
}

/** The arguments of a call, as a person has edited them. */
const argumentsOf = (turn: Turn.Turn, index: number, { tool_args }: ToolExecution.ToolExecution): Json.Value =>
  turn.decisions.get(index)?.tool_args ?? tool_args

/** Arguments that a person has edited are given to the hooks again. */
const isDone = (turn: Turn.Turn, index: number, execution: ToolExecution.ToolExecution): boolean =>
  turn.hooked.has(index) && Equal.equals(argumentsOf(turn, index, execution), execution.tool_args)

type HookedCall = NonNullable<Hooked["calls"]>[number]

interface Call {
  readonly index: number
  readonly execution: ToolExecution.ToolExecution
  readonly args: Json.Value
}

const beforeOne = Effect.fnUntraced(function*({ hooked, recorder }: Hooking, turn: Turn.Turn, call: Call) {
  const { args, execution, index } = call
  const { tool_call_id: toolCallId, tool_name: tool } = execution
  const { answer, isChanged, value } = yield* HookStages.beforeTool(hooked, { tool, toolCallId, args })
  turn.hooked.set(index, answer?.value)
  if (value !== execution.tool_args) Turn.setArguments(recorder, turn, index, value)
  const entry: HookedCall = {
    call: index,
    ...(isChanged ? { tool_args: value } : {}),
    ...(answer === undefined ? {} : { result: answer.value })
  }
  return entry
})

/** Calls as they are until the hooks have passed their arguments. Those of calls that are not executed never are. */
export const withheld = (
  hooked: HookStages.Hooked,
  calls: ReadonlyArray<RequestedCall>
): ReadonlyArray<RequestedCall> =>
  HookStages.hasBeforeTool(hooked) ? calls.map((call) => ({ ...call, input: {} })) : calls

/** The calls of a new answer as the hooks have left them. */
export const passed = Effect.fnUntraced(function*(
  caller: Hooking,
  turn: Turn.Turn,
  requested: ReadonlyArray<RequestedCall>
) {
  const entries: Array<HookedCall> = []
  const calls = [...turn.calls]
  for (const [index, call] of requested.entries()) {
    const execution = caller.recorder.tools[turn.places[index] ?? -1]
    if (execution === undefined) continue
    const entry = yield* beforeOne(caller, turn, { index, execution, args: Turn.argumentsOf(call.input) })
    entries.push(entry)
    calls[index] = entry.tool_args === undefined ? call : { ...call, input: entry.tool_args }
  }
  return { calls, entries }
})

/** Before the calls with these indexes are executed, or wait for a person. */
export const before = Effect.fnUntraced(function*(caller: Caller, turn: Turn.Turn, indexes: ReadonlyArray<number>) {
  const { agent, hooked, onHooked, recorder } = caller
  if (!HookStages.hasBeforeTool(hooked)) return
  const entries: Array<HookedCall> = []
  let isRecorded = false
  for (const index of indexes) {
    const execution = recorder.tools[turn.places[index] ?? -1]
    const tool = Turn.toolOf(agent, turn, index)
    if (execution === undefined || tool === undefined || isDone(turn, index, execution)) continue
    const entry = yield* beforeOne(caller, turn, { index, execution, args: argumentsOf(turn, index, execution) })
    if (entry.tool_args !== undefined || entry.result !== undefined || Turn.needsPerson(turn, index, tool)) {
      isRecorded = true
    }
    entries.push(entry)
  }
  if (isRecorded) yield* onHooked({ kind: "hooked", calls: entries })
})

interface Ended {
  readonly result: string
  readonly isError: boolean
}

interface Made {
  readonly turn: Turn.Turn
  readonly index: number
  readonly tool: Tool
}

/** The result that the model gets. A hook that fails ends the run only after the other calls: the turn has it. */
export const after = (
  { hooked }: Caller,
  { index, tool, turn }: Made,
  { tool_args, tool_call_id, tool_name }: ToolExecution.ToolExecution,
  { isError, result }: Ended
): Effect.Effect<Ended> => {
  const call = { tool: tool_name, toolCallId: tool_call_id, args: tool_args, isError }
  return Effect.matchEffect(HookStages.afterTool(hooked, call, result), {
    onSuccess: ({ value }) =>
      value.length <= result.length
        ? Effect.succeed({ result: value, isError })
        : Effect.map(ByteLimits, (limits) => ({ result: cutFor(tool, value, limits), isError })),
    onFailure: (failure) => {
      turn.failures.set(index, failure)
      return Effect.succeed({ result: failure.message, isError: true })
    }
  })
}

/** The field of a journal entry. */
export const failureIn = (
  { failures }: Turn.Turn,
  index: number
): { readonly failure?: NonNullable<Answered["failure"]> } => {
  const failure = failures.get(index)
  return failure === undefined ? {} : { failure: stored(failure) }
}
