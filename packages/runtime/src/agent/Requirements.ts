// What a paused run waits for, as whoever is to answer reads it.
import type { Requirement, ToolExecution } from "@svc/domain"
import { DateTime, Effect } from "effect"
import { NewId } from "../NewId.ts"

/**
 * Of the calls that wait now, and of those in runs inside of the run, behind those that have waited before. One that still
 * waits keeps its id.
 */
export const of = Effect.fnUntraced(function*(
  before: ReadonlyArray<Requirement.Requirement>,
  waiting: ReadonlyArray<ToolExecution.ToolExecution>,
  inside: ReadonlyArray<Requirement.Requirement>
) {
  const newId = yield* NewId
  const created_at = DateTime.formatIso(yield* DateTime.now)
  const isWaiting = ({ id, member_run_id, tool_execution }: Requirement.Requirement) =>
    member_run_id === undefined
      ? waiting.some(({ tool_call_id }) => tool_call_id === tool_execution.tool_call_id)
      : inside.some((other) => other.id === id)
  const known = new Map(
    before.filter((each) => isWaiting(each) && each.member_run_id === undefined).map((
      each
    ) => [each.tool_execution.tool_call_id, each])
  )
  return [
    ...before.filter((requirement) => !isWaiting(requirement)),
    ...waiting.map((tool_execution): Requirement.Requirement => ({
      ...(known.get(tool_execution.tool_call_id) ?? { id: newId(), created_at }),
      tool_execution
    })),
    ...inside
  ]
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
