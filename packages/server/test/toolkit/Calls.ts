// Calls a tool as a run does.
import * as Text from "@svc-runtime/agents/agent/execute/Text"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { toolContext } from "@svc-runtime/test-support/ToolContext"
import { Effect, Result } from "effect"

/** What the model reads: the result, or the error. */
export const call = (tool: Tool, input: object) =>
  Effect.map(
    Effect.result(tool.call(input, toolContext)),
    (result) =>
      Result.isSuccess(result) ? Result.getOrThrow(Text.ofResult(result.success)) : `Error: ${result.failure.message}`
  )
