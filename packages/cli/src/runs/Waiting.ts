// Describes the decisions that a paused run waits for.
import type { Requirement } from "@svc-runtime/domain/Requirement"
import type { StepRequirement } from "@svc-runtime/domain/StepRequirement"
import * as CallDecisions from "./CallDecisions.ts"
import { callsOf, type Run } from "./FollowedRun.ts"

export interface Waiting {
  readonly text: string
  /** The decision needs more than yes or no. */
  readonly needsValue: boolean
}

const ofCall = ({ tool_execution: call }: Requirement): Waiting => {
  const title = CallDecisions.titleOf(call)
  if (call.external_execution_required === true) return { text: `the result of ${title}`, needsValue: true }
  if (call.requires_user_input === true) return { text: `values for ${title}`, needsValue: true }
  return { text: title, needsValue: false }
}

const namesOf = (fields: StepRequirement["user_input_schema"]): string =>
  (fields ?? []).map(({ name }) => name).join(", ")

const ofStep = (requirement: StepRequirement): Waiting => {
  const { available_choices, requires_output_review, requires_route_selection, requires_user_input } = requirement
  if (requires_route_selection) return { text: `a choice of ${(available_choices ?? []).join(", ")}`, needsValue: true }
  if (requires_output_review) return { text: "a review of its result", needsValue: false }
  if (requires_user_input) return { text: `values for ${namesOf(requirement.user_input_schema)}`, needsValue: true }
  return { text: "a confirmation", needsValue: false }
}

/** The decisions that a run waits for. A run that waits for a time, or has ended, waits for none. */
export const of = (run: Run): ReadonlyArray<Waiting> => {
  if (run.status !== "PAUSED") return []
  const errors = (run.error_requirements ?? []).map(({ error_message, step_name }): Waiting => ({
    text: `step '${step_name}', which failed: ${error_message}`,
    needsValue: false
  }))
  if (errors.length > 0) return errors
  const step = run.step_requirements?.at(-1)
  const calls = callsOf(run).filter(CallDecisions.isOpen).map(ofCall)
  if (step === undefined) return calls
  const inStep = step.requires_executor_input === true ? calls : [ofStep(step)]
  return inStep.map(({ needsValue, text }) => ({ text: `step '${step.step_name}': ${text}`, needsValue }))
}
