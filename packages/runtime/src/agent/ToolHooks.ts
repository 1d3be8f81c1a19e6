// The hooks around the calls of a model answer. Those before the calls have all ended when the first call begins, so a
// rejection leaves none half-done. What they change is in the journal before it is shown or used.
import type * as Json from "@svc/domain/Json"
import type * as ToolExecution from "@svc/domain/ToolExecution"
import { Effect, Equal } from "effect"
import { ByteLimits, cutFor, type ValueTooLarge } from "../ByteLimits.ts"
import type { Tool } from "../tool/Tool.ts"
import type { Agent } from "./Agent.ts"
import type { Hooked } from "./AgentJournal.ts"
import * as HookStages from "./HookStages.ts"
import type { RunRecorder } from "./RunRecorder.ts"
import * as Turn from "./Turn.ts"

interface Caller {
  readonly recorder: RunRecorder
  readonly agent: Agent
  readonly hooked: HookStages.Hooked
  /** Returns when it is stored what hooks have changed before calls. */
  readonly onHooked: (hooked: Hooked) => Effect.Effect<void, ValueTooLarge>
}

/** The arguments of a call, as a person has edited them. */
const argumentsOf = (turn: Turn.Turn, index: number, { tool_args }: ToolExecution.ToolExecution): Json.Value =>
  turn.decisions.get(index)?.tool_args ?? tool_args

/** Arguments that a person has edited are given to the hooks again. */
const isDone = (turn: Turn.Turn, index: number, execution: ToolExecution.ToolExecution): boolean =>
  turn.hooked.has(index) && Equal.equals(argumentsOf(turn, index, execution), execution.tool_args)

/** Before the calls with these indexes are executed, or wait for a person. */
export const before = Effect.fnUntraced(function*(caller: Caller, turn: Turn.Turn, indexes: ReadonlyArray<number>) {
  const { agent, hooked, onHooked, recorder } = caller
  if (!HookStages.hasBeforeTool(hooked)) return
  const calls: Array<NonNullable<Hooked["calls"]>[number]> = []
  let isRecorded = false
  for (const index of indexes) {
    const execution = recorder.tools[turn.places[index] ?? -1]
    const tool = Turn.toolOf(agent, turn, index)
    if (execution === undefined || tool === undefined || isDone(turn, index, execution)) continue
    const call = { tool: tool.name, toolCallId: execution.tool_call_id, args: argumentsOf(turn, index, execution) }
    const { answer, isChanged, value } = yield* HookStages.beforeTool(hooked, call)
    turn.hooked.set(index, answer?.value)
    if (isChanged) Turn.setArguments(recorder, turn, index, value)
    if (isChanged || answer !== undefined || Turn.needsPerson(tool)) isRecorded = true
    calls.push({
      call: index,
      ...(isChanged ? { tool_args: value } : {}),
      ...(answer === undefined ? {} : { result: answer.value })
    })
  }
  if (isRecorded) yield* onHooked({ kind: "hooked", calls })
})

interface Ended {
  readonly result: string
  readonly isError: boolean
}

/** The result that the model gets. A hook that fails ends the run only after the other calls: `failures` has it. */
export const after = (
  { hooked }: Caller,
  tool: Tool,
  { tool_args, tool_call_id, tool_name }: ToolExecution.ToolExecution,
  { isError, result }: Ended,
  failures: Array<HookStages.Failure>
): Effect.Effect<Ended> => {
  const call = { tool: tool_name, toolCallId: tool_call_id, args: tool_args, isError }
  return Effect.matchEffect(HookStages.afterTool(hooked, call, result), {
    onSuccess: ({ value }) =>
      value.length <= result.length
        ? Effect.succeed({ result: value, isError })
        : Effect.map(ByteLimits, (limits) => ({ result: cutFor(tool, value, limits), isError })),
    onFailure: (failure) => {
      failures.push(failure)
      return Effect.succeed({ result: failure.message, isError: true })
    }
  })
}
