// Checks the tool calls of one run. A run that paused is checked as well: the calls that wait were not executed.
import { Effect } from "effect"
import * as ToolReliability from "../ToolReliability.ts"
import { EvaluationFailed, type EvaluationType } from "./EvaluationType.ts"

export const Reliability: EvaluationType = {
  total: () => 1,
  step: Effect.fnUntraced(function*({ request, run }) {
    const outcome = yield* run()
    const { output } = outcome
    if (output === undefined || (outcome._tag === "Failed" && output.status !== "PAUSED")) {
      return yield* new EvaluationFailed({ message: outcome._tag === "Failed" ? outcome.reason : "No output" })
    }
    return ToolReliability.check(output, {
      calls: request.expected_tool_calls ?? [],
      allowsAdditional: request.allow_additional_tool_calls,
      calledWith: request.expected_tool_call_arguments ?? {}
    })
  }),
  data: ([result = {}]) => result,
  input: ({ allow_additional_tool_calls, expected_tool_call_arguments, expected_tool_calls }) => ({
    expected_tool_calls,
    allow_additional_tool_calls,
    expected_tool_call_arguments
  })
}
