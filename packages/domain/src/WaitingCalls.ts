// The open calls of a run that waits, when the run ends without them or another run begins with its messages.
import * as AnyRun from "./AnyRun.ts"
import type { Message } from "./Message.ts"
import * as Requirement from "./Requirement.ts"
import * as ToolExecution from "./ToolExecution.ts"
import * as UnfinishedTurn from "./UnfinishedTurn.ts"

const insideOf = (run: AnyRun.Output, { child_run_id }: ToolExecution.ToolExecution): ReadonlyArray<AnyRun.Output> =>
  AnyRun.innerOf(run)
    .filter(({ run_id }) => child_run_id === null || run_id === child_run_id)
    .flatMap(AnyRun.allIn)

/** The open calls of runs inside of a call. */
const openInside = (run: AnyRun.Output, tool: ToolExecution.ToolExecution) => {
  const inside = new Set<unknown>(insideOf(run, tool).map(({ run_id }) => run_id))
  return (run.requirements ?? []).flatMap((requirement) =>
    Requirement.isOpen(requirement) && inside.has(requirement.member_run_id) ? [requirement.tool_execution] : []
  )
}

const openIds = ({ messages = [] }: AnyRun.Output): ReadonlySet<string> =>
  new Set(UnfinishedTurn.openCalls(messages).map(({ id }) => id))

/** Whether an open call waits for runs inside of it, and for nothing else. What it has until then is no result. */
const waitsInside = (tool: ToolExecution.ToolExecution): boolean => !ToolExecution.isPaused(tool)

/** The calls of the run, each with a result: it ends while it waits. */
export const ended = (run: AnyRun.Output): ReadonlyArray<ToolExecution.ToolExecution> => {
  const { tools = [] } = run
  const open = openIds(run)
  return tools.map((tool) =>
    open.has(tool.tool_call_id) && waitsInside(tool)
      ? ToolExecution.cutOffInside(tool, openInside(run, tool))
      : ToolExecution.cutOff(tool)
  )
}

/** Whether an open call can have had an effect: it has begun, or a run inside of it has made a call. */
const hasBegun = (run: AnyRun.Output, tool: ToolExecution.ToolExecution): boolean => {
  if (!waitsInside(tool)) return ToolExecution.isMade(tool)
  // a function that waits for runs inside of it
  if (tool.result === null) return true
  return insideOf(run, tool).some(({ tools = [] }) => tools.some(({ result }) => result !== null))
}

/**
 * The messages of a run that waits, for another run, which does not wait: open calls are left out. One that can have
 * had an effect stays, and its result says so.
 */
export const settled = (run: AnyRun.Output): ReadonlyArray<Message> => {
  const { messages = [], tools = [] } = run
  const open = openIds(run)
  if (open.size === 0) return messages
  const begun = new Set(tools.flatMap((tool) => hasBegun(run, tool) ? [tool.tool_call_id] : []))
  const left = UnfinishedTurn.withoutCalls(messages, new Set([...open].filter((id) => !begun.has(id))))
  return UnfinishedTurn.closed(left, ended(run))
}
