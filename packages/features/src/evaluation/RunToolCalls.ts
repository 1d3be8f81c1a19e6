// The tool calls of a run and of the runs inside of it: those of members and steps follow its own.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import type * as ToolTrajectory from "@svc-runtime/domain/scoring/ToolTrajectory"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"

export const executionsOf = (run: AnyRun.Output): ReadonlyArray<ToolExecution.ToolExecution> =>
  AnyRun.allIn(run).flatMap((each) => AnyRun.isAgentOrTeam(each) ? each.tools ?? [] : [])

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

/**
 * What an item expects that is made from the run. Undefined without a clean call, unless the run completed without any:
 * an empty list would say that no call is expected.
 */
export const expectedOf = (run: AnyRun.Output): ReadonlyArray<ToolTrajectory.Expected> | undefined => {
  const calls = of(run)
  const clean = calls.filter(({ isFailed }) => !isFailed)
  const isKnown = clean.length > 0 || (calls.length === 0 && run.status === "COMPLETED")
  return isKnown ? clean.map((call) => ({ name: call.name, arguments: call.arguments })) : undefined
}
