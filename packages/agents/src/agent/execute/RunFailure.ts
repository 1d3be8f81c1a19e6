// Why a run failed, as a text for its caller. Details for operators are logged.
import type { ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import { logThrown, readableCause, UserError } from "@svc-runtime/engine/userCode/UserCode"
import * as ModelError from "@svc-runtime/models/ModelError"
import { Cause, Effect, Option, Schema } from "effect"
import type { AiError } from "effect/ai"
import type { CheckFailed, HookBroken } from "../define/Hook.ts"
import type { LoopExhausted } from "./AgentLoop.ts"
import type { HookRejected } from "./hooks/HookFailure.ts"
import type { OutputUnchecked } from "./model/StructuredOutput.ts"
import type { RunLimitReached } from "./RunLimits.ts"
import type { InstructionsUnusable } from "./RunPart.ts"
import type { RunRecorder } from "./RunRecorder.ts"

/** The service stopped during a `once` call, so its outcome is unknown. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  tools: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The service stopped while it called ${this.tools.join(", ")}: it is not known whether that was done`
  }
}

export interface RunFailure {
  readonly message: string
  readonly error_type: string
  readonly error_id?: string
}

export type Expected =
  | AiError.AiError
  | CheckFailed
  | HookBroken
  | HookRejected
  | InstructionsUnusable
  | LoopExhausted
  | OutcomeUnknown
  | OutputUnchecked
  | RunLimitReached
  | ValueTooLarge

const unexpected: RunFailure = {
  message: "The agent failed unexpectedly. The log of the service says more.",
  error_type: "agent_run_error"
}

const describe = (error: Expected, recorder: RunRecorder): RunFailure => {
  switch (error._tag) {
    case "AiError":
      return ModelError.describe(error)
    case "CheckFailed": {
      const hasAnswer = recorder.messages.some((message) => message.role === "assistant")
      return {
        message: error.message,
        error_type: hasAnswer ? "output_check_error" : "input_check_error",
        error_id: error.reason
      }
    }
    case "HookRejected":
      return {
        message: error.message,
        error_type: error.stage.startsWith("after_") ? "output_check_error" : "input_check_error",
        error_id: error.reason
      }
    case "HookBroken":
    case "InstructionsUnusable":
    case "LoopExhausted":
    case "OutcomeUnknown":
    case "OutputUnchecked":
    case "RunLimitReached":
    case "ValueTooLarge":
      return { message: error.message, error_type: "agent_run_error" }
  }
}

/** What the author's code has thrown is a warning, and a defect of the service an error. */
const logged = (cause: Cause.Cause<Expected>, error: Expected | undefined, { message }: RunFailure) => {
  if (error?._tag === "HookBroken") {
    return Effect.annotateLogs(Effect.logWarning("A run failed", cause), { hook: error.hook })
  }
  if (error !== undefined) return Effect.logWarning(`A run failed: ${message}`)
  const thrown = Cause.squash(cause)
  return thrown instanceof UserError ? logThrown("A run failed", thrown) : Effect.logError("A run failed", cause)
}

export const fromCause = (given: Cause.Cause<Expected>, recorder: RunRecorder): Effect.Effect<RunFailure> => {
  const cause = readableCause(given)
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  const failure = error === undefined ? unexpected : describe(error, recorder)
  return Effect.as(logged(cause, error, failure), failure)
}
