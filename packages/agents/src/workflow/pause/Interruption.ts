// Why a workflow stops: it is paused, a person stopped it, or a failed step ends it.
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import { Data, type Effect } from "effect"
import type { Requirement } from "../define/Node.ts"

export class Paused extends Data.TaggedError("Paused")<{
  readonly requirement: Requirement
  /** Undefined for a decision on a failed step. */
  readonly kind: WorkflowRun.PauseKind | undefined
  readonly step_name: string
  readonly step_index: StepRequirement.StepIndex
  /** It continues then, also without what the requirement asks for. */
  readonly wakeAt?: EpochSeconds | undefined
  /** Asks the question, which is not asked yet: a function that waits for several things shows one of them. */
  readonly ask?: Effect.Effect<never, Interruption> | undefined
}> {}

export class Rejected extends Data.TaggedError("Rejected")<{ readonly reason: string }> {}

export class Failed extends Data.TaggedError("Broken")<{ readonly message: string; readonly error_type: string }> {}

export type Interruption = Paused | Rejected | Failed
