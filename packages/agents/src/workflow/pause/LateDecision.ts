// Decisions on a step after its time limit. What its author has chosen happens then, as soon as the run is continued.
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { DateTime, Option, Result } from "effect"
import type { Decision } from "../execute/WorkflowJournal.ts"

type Step = StepRequirement.StepRequirement

/** `now`: milliseconds. */
export const isLate = ({ timeout_at }: Step, now: number): boolean =>
  timeout_at !== null && Option.exists(DateTime.make(timeout_at), (at) => at.epochMilliseconds <= now)

const outcomes: Readonly<Record<StepRequirement.OnTimeout, string>> = {
  approve: "it is approved now: confirm it",
  skip: "it is skipped now: reject it",
  cancel: "the run is cancelled now: reject it"
}

/** A person who agrees can give values. Another decision is refused: a person would believe that it counts. */
export const of = (step: Step, decision: Decision, now: number): Result.Result<Decision, ContinueRejected> => {
  if (!isLate(step, now)) return Result.succeed(decision)
  const { on_timeout, step_name, timeout_at } = step
  const isRejected = decision.confirmed === false
  const message = `Step '${step_name}' was not decided before ${timeout_at}, and ${outcomes[on_timeout]}, or send ` +
    "no decision on it"
  if (isRejected === (on_timeout === "approve")) {
    return Result.fail(new ContinueRejected({ reason: "conflict", message }))
  }
  return Result.succeed(isRejected ? { ...decision, late: on_timeout } : decision)
}
