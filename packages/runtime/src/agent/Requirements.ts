// What a paused run waits for, as whoever is to answer reads it.
import { Requirement, type ToolExecution } from "@svc/domain"
import { DateTime, Effect } from "effect"
import { NewId } from "../NewId.ts"

/** Whether both are about one call. */
const isSameCall = (one: Requirement.Requirement, other: Requirement.Requirement): boolean =>
  one.member_run_id === other.member_run_id &&
  one.tool_execution.tool_call_id === other.tool_execution.tool_call_id

/**
 * Of the calls that wait now, and of those in runs inside of the run, behind those that have waited before. One that still
 * waits keeps its id. One that was answered and waits again, because the service has stopped in the middle of it, asks
 * something else: it takes another id, so that what was said of it is not taken for an answer.
 */
export const of = Effect.fnUntraced(function*(
  before: ReadonlyArray<Requirement.Requirement>,
  waiting: ReadonlyArray<ToolExecution.ToolExecution>,
  inside: ReadonlyArray<Requirement.Requirement>
) {
  const newId = yield* NewId
  const created_at = DateTime.formatIso(yield* DateTime.now)
  const own = waiting.map((tool_execution): Requirement.Requirement => {
    const asked = { id: newId(), created_at, tool_execution }
    const known = before.find((each) => Requirement.isOpen(each) && isSameCall(each, asked))
    return known === undefined ? asked : { ...known, tool_execution }
  })
  const now = [...own, ...inside]
  return [...before.filter((each) => !now.some((other) => isSameCall(each, other))), ...now]
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
    (tool: ToolExecution.ToolExecution) => tool.external_execution_required === true && tool.outcome_unknown !== true
  ]
] as const

/** One sentence for people. */
export const sentenceOf = (waiting: ReadonlyArray<ToolExecution.ToolExecution>): string =>
  `The run waits: ${
    kinds.flatMap(([name, is]) => {
      const tools = waiting.filter(is).map(({ tool_name }) => tool_name)
      return tools.length === 0 ? [] : [`${tools.join(", ")} needs ${name}`]
    }).join("; ")
  }.`
