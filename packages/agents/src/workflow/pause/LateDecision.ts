// Decisions on a step after its time limit. What its author has chosen happens then, as soon as the run is continued.
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { DateTime, Option } from "effect"
import type { Decision } from "../execute/WorkflowJournal.ts"
import * as StepValues from "./StepValues.ts"

type Step = StepRequirement.StepRequirement

/** `now`: milliseconds. */
export const isLate = ({ timeout_at }: Step, now: number): boolean =>
  timeout_at !== null && Option.exists(DateTime.make(timeout_at), (at) => at.epochMilliseconds <= now)

/** What a rejection of the step does: only conditions have an `else`, and retries have a limit. */
export const rejectionOf = ({ max_retries, on_reject, retry_count, step_type }: Step): StepRequirement.OnReject => {
  if (on_reject === "else" && step_type !== "Condition") return "skip"
  return on_reject === "retry" && retry_count >= max_retries ? "cancel" : on_reject
}

const outcomes: Readonly<Record<StepRequirement.OnTimeout, string>> = {
  approve: "it is approved now",
  skip: "it is skipped now",
  cancel: "the run is cancelled now"
}

const rejections: Readonly<Record<StepRequirement.OnReject, string>> = {
  skip: "skip it",
  cancel: "cancel the run",
  else: "take its other branch",
  retry: "repeat it"
}

/** Whether it is approved now, but cannot be executed without values of a person. */
export const lacksValues = (step: Step): boolean =>
  step.on_timeout === "approve" && StepValues.missingIn(step, {}).length > 0

const agreementWith = (step: Step): string | undefined => {
  if (step.on_timeout === "approve") return step.requires_user_input ? "give its values" : "confirm it"
  // who rejects a step wants none of it to be executed, and a run that is cancelled executes nothing
  return step.on_timeout === "cancel" || step.on_timeout === rejectionOf(step) ? "reject it" : undefined
}

/**
 * A late decision counts if what happens now is what it wants, and a person who agrees can give values. Another one is
 * refused: a person would believe that it counts.
 */
export const problemOf = (
  step: Step,
  { confirmed }: StepRequirement.DecisionInput,
  now: number
): ContinueRejected | undefined => {
  if (!isLate(step, now)) return undefined
  const { on_timeout, step_name, timeout_at } = step
  const isRejected = confirmed === false
  const agreement = agreementWith(step)
  if (isRejected === (on_timeout !== "approve") && agreement !== undefined) return undefined
  const other = isRejected && on_timeout !== "approve"
    ? `, where a rejection would ${rejections[rejectionOf(step)]}`
    : ""
  const none = lacksValues(step) ? [] : ["send no decision on it"]
  const advice = [...(agreement === undefined ? [] : [agreement]), ...none].join(", or ")
  const message = `Step '${step_name}' was not decided before ${timeout_at}, and ${
    outcomes[on_timeout]
  }${other}: ${advice}`
  return new ContinueRejected({ reason: "conflict", message })
}

/** The decision that counts. */
export const of = (step: Step, decision: Decision, now: number): Decision =>
  isLate(step, now) && decision.confirmed === false ? { ...decision, late: step.on_timeout } : decision
