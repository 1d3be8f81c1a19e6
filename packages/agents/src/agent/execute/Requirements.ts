// The requirements of a paused run.
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { NewId } from "@svc-runtime/engine/NewId"
import { DateTime, Effect, Equal } from "effect"

/** Whether both are about the same call. */
const isSameCall = (one: Requirement.Requirement, other: Requirement.Requirement): boolean =>
  one.member_run_id === other.member_run_id &&
  one.tool_execution.tool_call_id === other.tool_execution.tool_call_id

/** Of a call that waits in the middle: it can ask another question without a decision on the one before. */
const isSameQuestion = (one: Requirement.Requirement, other: Requirement.Requirement): boolean =>
  Equal.equals(one.tool_execution.asked, other.tool_execution.asked)

/**
 * The requirements of the open calls, including nested runs, after the decided ones. An open requirement keeps its id
 * as long as it asks the same. A call that asks again, or is open again because its outcome is unknown, gets a new id,
 * so that the old decision does not count for it. One that is open and waits no more was answered by a time, or its run
 * inside cannot continue.
 */
export const of = Effect.fnUntraced(function*(
  before: ReadonlyArray<Requirement.Requirement>,
  waiting: ReadonlyArray<ToolExecution.ToolExecution>,
  inside: ReadonlyArray<Requirement.Requirement>
) {
  const newId = yield* NewId
  const created_at = DateTime.formatIso(yield* DateTime.now)
  const own = waiting.map((tool_execution): Requirement.Requirement => {
    const fresh = { id: newId(), created_at, tool_execution }
    const last = before.findLast((each) => isSameCall(each, fresh))
    if (last === undefined) return fresh
    return Requirement.isOpen(last) && isSameQuestion(last, fresh)
      ? { ...last, tool_execution }
      : { ...fresh, asked_before: (last.asked_before ?? 0) + 1 }
  })
  const now = [...own, ...inside]
  const decided = before.filter((each) => !Requirement.isOpen(each))
  return [...decided.filter((each) => !now.some((other) => isSameCall(each, other))), ...now]
})

/** With the calls of the run as they are: decided ones have their decision and their result. */
export const withTools = (
  requirements: ReadonlyArray<Requirement.Requirement>,
  tools: ReadonlyArray<ToolExecution.ToolExecution>
): ReadonlyArray<Requirement.Requirement> =>
  requirements.map((requirement) => {
    const { member_run_id, tool_execution: { approval_id, approval_type, created_at, tool_call_id } } = requirement
    if (member_run_id !== undefined) return requirement
    // models repeat the ids of calls
    const tool = tools.find((each) => each.tool_call_id === tool_call_id && each.created_at === created_at)
    // an ended call no longer names its approval, by which a repeated continue finds that the run was resumed
    return tool === undefined
      ? requirement
      : { ...requirement, tool_execution: { ...tool, approval_id, approval_type } }
  })

const kinds = [
  ["confirmation", (tool: ToolExecution.ToolExecution) => tool.requires_confirmation === true],
  ["user input", (tool: ToolExecution.ToolExecution) => tool.requires_user_input === true],
  [
    "word of what happened to a call that was cut off",
    (tool: ToolExecution.ToolExecution) => tool.outcome_unknown === true
  ],
  [
    "execution elsewhere",
    (tool: ToolExecution.ToolExecution) =>
      tool.external_execution_required === true && tool.outcome_unknown !== true && tool.wake_at === undefined &&
      tool.asked === undefined
  ],
  ["an event", (tool: ToolExecution.ToolExecution) => tool.asked?.event !== undefined]
] as const

const timesOf = (waiting: ReadonlyArray<ToolExecution.ToolExecution>): ReadonlyArray<string> =>
  waiting.flatMap(({ tool_name, wake_at }) =>
    wake_at === undefined ? [] : [`${tool_name} ends at ${DateTime.formatIso(DateTime.makeUnsafe(wake_at * 1000))}`]
  )

/** One sentence for people. */
export const sentenceOf = (waiting: ReadonlyArray<ToolExecution.ToolExecution>): string =>
  `The run waits: ${
    kinds.flatMap(([name, is]) => {
      const tools = waiting.filter(is).map(({ tool_name }) => tool_name)
      return tools.length === 0 ? [] : [`${tools.join(", ")} needs ${name}`]
    }).concat(timesOf(waiting)).join("; ")
  }.`
