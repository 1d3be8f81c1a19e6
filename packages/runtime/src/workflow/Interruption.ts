// Why a workflow does not go on: it waits for a person, a person has stopped it, or one of its steps has failed and ends
// it.
import type { StepRequirement, WorkflowRun } from "@svc/domain"
import { Data } from "effect"
import type { Requirement } from "./Node.ts"

export class Paused extends Data.TaggedError("Paused")<{
  readonly requirement: Requirement
  /** Undefined when a failed step is decided about. */
  readonly kind: WorkflowRun.PauseKind | undefined
  readonly step_name: string
  readonly step_index: StepRequirement.StepIndex
}> {}

export class Rejected extends Data.TaggedError("Rejected")<{ readonly reason: string }> {}

export class Failed extends Data.TaggedError("Broken")<{ readonly message: string; readonly error_type: string }> {}

export type Interruption = Paused | Rejected | Failed
