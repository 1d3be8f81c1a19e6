// Calls a tool as a run does.
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import * as Text from "@svc/runtime/agent/Text"
import type { Tool } from "@svc/runtime/tool/Tool"
import { Effect, Result } from "effect"

const context = {
  agentId: "agent",
  runId: Run.Id.make("run"),
  sessionId: Session.Id.make("session"),
  userId: undefined,
  sessionState: {},
  dependencies: {},
  metadata: {},
  toolCallId: "call",
  emit: () => {},
  effectId: "run.0.0",
  isCancelled: () => false,
  enqueue: () => Promise.reject(new Error("There is no database"))
}

/** What the model reads: the result, or the error. */
export const call = (tool: Tool, input: object) =>
  Effect.map(
    Effect.result(tool.call(input, context)),
    (result) =>
      Result.isSuccess(result) ? Result.getOrThrow(Text.ofResult(result.success)) : `Error: ${result.failure.message}`
  )
