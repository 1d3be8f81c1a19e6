// The tool calls of a run and of the runs inside of it.
import * as AnyRun from "@svc/domain/AnyRun"
import * as Json from "@svc/domain/Json"
import type * as ToolTrajectory from "@svc/domain/scoring/ToolTrajectory"
import type * as ToolExecution from "@svc/domain/ToolExecution"

export const runsOf = (run: AnyRun.Output): ReadonlyArray<AnyRun.Output> => [run, ...AnyRun.membersOf(run)]

export const executionsOf = (run: AnyRun.Output): ReadonlyArray<ToolExecution.ToolExecution> =>
  runsOf(run).flatMap((each) => AnyRun.isAgentOrTeam(each) ? each.tools ?? [] : [])

/** It was executed without an error. */
export const isClean = (tool: ToolExecution.ToolExecution): boolean =>
  tool.tool_call_error !== true && tool.result !== null && tool.outcome_unknown !== true

/** As scorers compare them. */
export const of = (run: AnyRun.Output): ReadonlyArray<ToolTrajectory.Call> =>
  executionsOf(run).map((tool) => ({
    name: tool.tool_name,
    arguments: Json.isObject(tool.tool_args) ? tool.tool_args : {},
    isFailed: !isClean(tool)
  }))
