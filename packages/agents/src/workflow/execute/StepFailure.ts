// Why a step failed, as a text for its output.
import { CallFailed } from "@svc-runtime/engine/durable/Durable"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Data, Predicate } from "effect"

export class StepFailure extends Data.TaggedError("StepFailure")<{
  readonly message: string
  readonly error_type: string
}> {}

const unknown = "outcome_unknown"

/** The service stopped during a `once` function. */
export const outcomeUnknown = (step: string): StepFailure =>
  new StepFailure({
    message: `The service stopped while it ran step '${step}': it is not known whether that was done`,
    error_type: unknown
  })

export const isOutcomeUnknown = ({ error_type }: StepFailure): boolean => error_type === unknown

const typeOf = (cause: unknown): string => {
  if (cause instanceof OutcomeLost) return unknown
  if (cause instanceof CallFailed) return cause.kind
  if (Predicate.hasProperty(cause, "_tag") && Predicate.isString(cause._tag)) return cause._tag
  return Predicate.isError(cause) ? cause.name : "Error"
}

export const fromThrown = (thrown: UserCode.UserError): StepFailure =>
  new StepFailure({
    message: UserCode.messageOf(thrown, "The step failed"),
    error_type: typeOf(thrown.cause)
  })
