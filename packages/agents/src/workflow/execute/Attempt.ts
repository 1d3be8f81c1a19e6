// Attempts of a step. A `once` function is journalled before it starts, and a failure is handled as the author or a
// person decides.
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as DurableCode from "@svc-runtime/engine/durable/DurableCode"
import * as DurableJournal from "@svc-runtime/engine/durable/DurableJournal"
import { mayRepeat } from "@svc-runtime/engine/userCode/Effects"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Effect } from "effect"
import type { StepNode } from "../define/Node.ts"
import * as HumanReview from "../pause/HumanReview.ts"
import { Failed, type Interruption } from "../pause/Interruption.ts"
import { fromThrown, isOutcomeUnknown, outcomeUnknown, StepFailure } from "./StepFailure.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import type { StepPath } from "./StepPath.ts"
import {
  about,
  emitWorkflowEvent,
  type StepAt,
  type StepCompletion,
  type WorkflowExecution
} from "./WorkflowExecution.ts"
import * as WorkflowJournal from "./WorkflowJournal.ts"

const skipped = (
  { execution, node, place }: StepAt<StepNode>,
  { message }: StepFailure
): StepCompletion => ({
  output: StepOutputs.done({ execution, node, place }, {
    content: `Step skipped due to error: ${message}`,
    executor_type: node.executor.type,
    success: false,
    error: message
  })
})

/** Creates the requirement for a failed step. */
const decided = Effect.fnUntraced(function*(
  { execution, node, place }: StepAt<StepNode>,
  failure: StepFailure,
  round: number
) {
  const { message } = failure
  const error_message = isOutcomeUnknown(failure)
    ? message
    : yield* DurableCode.withRepeated(WorkflowJournal.durableCalls(execution.journal, place.key), message)
  const requirement: StepRequirement.ErrorRequirement = {
    step_id: execution.idOf(place.path),
    step_name: node.name,
    step_index: place.index,
    error_message,
    error_type: failure.error_type,
    retry_count: round,
    decision: null
  }
  const { decision } = yield* HumanReview.requestReview(execution, {
    key: StepKey.attempt(place.key, round),
    requirement,
    kind: undefined,
    announce: () =>
      emitWorkflowEvent(execution, { event: "StepError", ...about({ execution, node, place }), error: message })
  })
  return decision.error
})

/** The failure of an earlier decision, so that no new attempt is needed. */
export const failedBefore = (
  { journal }: WorkflowExecution,
  place: StepPath,
  round: number
): StepFailure | undefined => {
  const requirement = journal.requirementOf(StepKey.attempt(place.key, round))
  return requirement !== undefined && "error_message" in requirement
    ? new StepFailure({ message: requirement.error_message, error_type: requirement.error_type })
    : undefined
}

/** Journalled before a `once` function starts. If a replay finds it without a result, the outcome is unknown. */
export const attemptStep = Effect.fnUntraced(
  function*({ execution: { journal }, node, place }: StepAt<StepNode>, round: number) {
    if (node.executor.type !== "function" || mayRepeat(node.executor.effects)) return
    const key = StepKey.attempt(place.key, round)
    const isAttempted = journal.isAttempted(key)
    // a function whose durable calls are known is repeated up to where it was cut off
    if (isAttempted && DurableJournal.isUnderway(journal.durable(place.key))) return
    if (isAttempted) return yield* outcomeUnknown(node.name)
    yield* journal.append({ kind: "undertaken", key })
  }
)

/** A function that did not finish in time can have begun a `once` step. */
export const failureOf = Effect.fnUntraced(
  function*({ execution: { journal }, node, place }: StepAt<StepNode>, failed: StepFailure) {
    if (isOutcomeUnknown(failed) || node.executor.type !== "function") return yield* failed
    const calls = WorkflowJournal.durableCalls(journal, place.key)
    const lost = yield* DurableCode.lost(calls, failed.message)
    return yield* (lost === undefined ? failed : fromThrown(new UserCode.UserError({ cause: lost })))
  }
)

/** An unknown outcome is not skipped: a person decides, unless the author has. */
const policyOf = ({ onError, onUnknownOutcome }: StepNode, failure: StepFailure) =>
  isOutcomeUnknown(failure) ? onUnknownOutcome : onError

/** The result of a failed attempt: a retry, or a text as the step's content. */
export const settle = Effect.fnUntraced(function*(
  { execution, node, place }: StepAt<StepNode>,
  failure: StepFailure,
  round: number
): Effect.fn.Return<StepCompletion | "retry", Interruption> {
  switch (policyOf(node, failure)) {
    case "fail":
      return yield* new Failed(failure)
    case "skip":
      emitWorkflowEvent(execution, { event: "StepError", ...about({ execution, node, place }), error: failure.message })
      return skipped({ execution, node, place }, failure)
    case "pause": {
      const decision = yield* decided({ execution, node, place }, failure, round)
      return decision === "retry" ? "retry" : skipped({ execution, node, place }, failure)
    }
  }
})
