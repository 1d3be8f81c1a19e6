// Attempts of a step: what must not be done twice is written down before it is done, and a failure is settled as the author
// or a person says.
import type { StepRequirement } from "@svc/domain"
import { Effect } from "effect"
import { about, emitWorkflowEvent, type Execution, type StepCompletion } from "./Execution.ts"
import * as HumanReview from "./HumanReview.ts"
import { Failed, type Interruption } from "./Interruption.ts"
import type { StepNode } from "./Node.ts"
import { isOutcomeUnknown, outcomeUnknown, StepFailure } from "./StepFailure.ts"
import * as StepOutputs from "./StepOutputs.ts"
import type { StepPath } from "./StepPath.ts"

const skipped = (
  execution: Execution,
  node: StepNode,
  place: StepPath,
  { message, runs }: StepFailure
): StepCompletion => ({
  output: StepOutputs.done(execution, node, place, {
    content: `Step skipped due to error: ${message}`,
    executor_type: node.executor.type,
    success: false,
    error: message
  }),
  runs
})

/** Of what is asked or undertaken each time that it is tried again. */
const keyOf = (place: StepPath, round: number) => `${place.key}!${round}`

/** Asks what to do about a failure. */
const decided = Effect.fnUntraced(function*(
  execution: Execution,
  node: StepNode,
  place: StepPath,
  failure: StepFailure,
  round: number
) {
  const requirement: StepRequirement.ErrorRequirement = {
    step_id: execution.idOf(place.path),
    step_name: node.name,
    step_index: place.index,
    error_message: failure.message,
    error_type: failure.error_type,
    retry_count: round,
    decision: null
  }
  const { decision } = yield* HumanReview.requestReview(execution, {
    key: keyOf(place, round),
    requirement,
    kind: undefined,
    announce: () =>
      emitWorkflowEvent(execution, { event: "StepError", ...about(execution, node, place), error: failure.message })
  })
  return decision.error
})

/** The failure that somebody was asked about before, in whose place nothing has to be tried again. */
export const failedBefore = ({ journal }: Execution, place: StepPath, round: number): StepFailure | undefined => {
  const asked = journal.requirementOf(keyOf(place, round))
  return asked !== undefined && "error_message" in asked
    ? new StepFailure({ message: asked.error_message, error_type: asked.error_type })
    : undefined
}

/** What must not be done twice is written down before it is done. Found there, nobody knows whether it was. */
export const attemptStep = Effect.fnUntraced(
  function*({ journal }: Execution, node: StepNode, place: StepPath, round: number) {
    if (node.executor.type !== "function" || node.executor.effects !== "once") return
    const key = keyOf(place, round)
    if (journal.isAttempted(key)) return yield* outcomeUnknown(node.name)
    yield* journal.append({ type: "undertaken", key })
  }
)

/** An attempt whose outcome is unknown is nothing to pass over: a person decides, unless the author has. */
const policyOf = ({ onError, onUnknownOutcome }: StepNode, failure: StepFailure) =>
  isOutcomeUnknown(failure) ? onUnknownOutcome : onError

/** What becomes of a failed attempt: another one, or a text in the place of what the step gives. */
export const settle = Effect.fnUntraced(function*(
  execution: Execution,
  node: StepNode,
  place: StepPath,
  failure: StepFailure,
  round: number
): Effect.fn.Return<StepCompletion | "retry", Interruption> {
  switch (policyOf(node, failure)) {
    case "fail":
      return yield* new Failed(failure)
    case "skip":
      emitWorkflowEvent(execution, { event: "StepError", ...about(execution, node, place), error: failure.message })
      return skipped(execution, node, place, failure)
    case "pause": {
      const decision = yield* decided(execution, node, place, failure, round)
      return decision === "retry" ? "retry" : skipped(execution, node, place, failure)
    }
  }
})
