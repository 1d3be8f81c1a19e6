// How the execution of a workflow ended.
import { Cause, Effect, Option } from "effect"
import type { Interruption, Paused } from "./pause/Interruption.ts"

export type Outcome =
  | { readonly _tag: "Completed" }
  | { readonly _tag: "Paused"; readonly paused: Paused }
  | { readonly _tag: "Cancelled"; readonly reason: string; readonly isInterrupted: boolean }
  | { readonly _tag: "Failed"; readonly message: string; readonly error_type: string }

const unexpected: Outcome = {
  _tag: "Failed",
  message: "The workflow failed unexpectedly. The log of the service says more.",
  error_type: "workflow_run_error"
}

const outcomeOfHalt = (halt: Interruption): Outcome => {
  switch (halt._tag) {
    case "Paused":
      return { _tag: "Paused", paused: halt }
    case "Rejected":
      return { _tag: "Cancelled", reason: halt.reason, isInterrupted: false }
    case "Broken":
      return { _tag: "Failed", message: halt.message, error_type: halt.error_type }
  }
}

export const failed = (cause: Cause.Cause<Interruption>): Effect.Effect<Outcome> => {
  const halt = Option.getOrUndefined(Cause.findErrorOption(cause))
  return halt === undefined
    ? Effect.as(Effect.logError("A run failed", cause), unexpected)
    : Effect.succeed(outcomeOfHalt(halt))
}
