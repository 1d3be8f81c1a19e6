// Pauses a run for a decision. The requirement is journalled once, the run ends as paused, and a replay with the
// decision continues from here.
import type * as Json from "@svc-runtime/domain/Json"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as Time from "@svc-runtime/domain/Time"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import { Clock, Duration, Effect } from "effect"
import type { Node, Requirement, StepNode } from "../define/Node.ts"
import * as StepKey from "../execute/StepKey.ts"
import {
  about,
  type Additional,
  emitWorkflowEvent,
  type StepAt,
  type StepCall,
  type WorkflowExecution
} from "../execute/WorkflowExecution.ts"
import { type Decision, withDecision } from "../execute/WorkflowJournal.ts"
import { Failed, type Interruption, Paused, Rejected } from "./Interruption.ts"
import * as LateDecision from "./LateDecision.ts"
import type * as Pause from "./Pause.ts"
import * as WakeTime from "./WakeTime.ts"

interface ReviewRequest<R extends Requirement> {
  readonly key: string
  readonly requirement: R
  readonly kind: WorkflowRun.PauseKind | undefined
  /** The team run with the requirements, if any. */
  readonly asker?: TeamRun.MemberResponse | undefined
  /** Another paused run. */
  readonly run?: Json.Object | undefined
  /** Shows the pause to watchers. */
  readonly announce: () => void
}

interface Answer {
  readonly decision: Decision
  readonly requirement: Requirement
}

/** A call of `sleep` or `waitFor` in the function of a step of this workflow. */
const waitOf = ({ request }: WorkflowExecution, requirement: Requirement | undefined): "time" | "event" | undefined => {
  if (requirement === undefined || !("executor_run_id" in requirement)) return undefined
  if (requirement.executor_run_id !== request.run_id) return undefined
  return (requirement.executor_requirements ?? []).some(WakeTime.isForEvent) ? "event" : "time"
}

/** A function with several durable calls that wait asks for one decision at a time. Times and events count. */
const isTaken = (execution: WorkflowExecution, requirement: Requirement, key: string): boolean => {
  if (!StepKey.isOfDurableCall(key)) return false
  const { journal } = execution
  const { step_id } = requirement
  const open = journal.openOf(step_id)
  const isTaken = open !== undefined && StepKey.ofDurableCall(open) === StepKey.ofDurableCall(key) &&
    waitOf(execution, journal.requirementOf(open)) === undefined
  if (!isTaken && waitOf(execution, requirement) === undefined) journal.reserve(step_id, key)
  return isTaken && open !== key
}

export const requestReview = Effect.fnUntraced(function*<R extends Requirement>(
  execution: WorkflowExecution,
  { announce, asker, key, kind, requirement: unnamed, run }: ReviewRequest<R>
): Effect.fn.Return<Answer, Interruption> {
  const { journal } = execution
  const requirement = { ...unnamed, id: key }
  const requested = journal.requirementOf(key)
  const decision = journal.decisionOf(key)
  if (requested !== undefined && decision !== undefined) return { decision, requirement: requested }
  const isBeside = requested === undefined && isTaken(execution, requirement, key)
  if (isBeside && waitOf(execution, requirement) !== "event") {
    const { step_index, step_name } = requirement
    return yield* new Paused({ requirement, kind, step_name, step_index })
  }
  if (requested === undefined) {
    announce()
    const paused = { ...(asker === undefined ? {} : { asker }), ...(run === undefined ? {} : { run }) }
    yield* journal.append({
      kind: "asked",
      key,
      requirement,
      ...paused,
      ...(isBeside ? { beside: true as const } : {})
    })
  }
  const { step_index, step_name } = requirement
  return yield* new Paused({ requirement: requested ?? requirement, kind, step_name, step_index })
})

const deadline = Effect.fnUntraced(function*({ timeout }: Pause.Pause) {
  if (timeout === undefined) return null
  return Time.formatMillis((yield* Clock.currentTimeMillis) + Duration.toMillis(timeout))
})

/** The common fields of a step's requirement. */
export const requirementOf = Effect.fnUntraced(function*(
  { execution, node, place }: StepAt,
  pause: Pause.Pause
) {
  const requirement: StepRequirement.StepRequirement = {
    ...StepRequirement.blank({
      step_id: execution.idOf(place.path),
      step_name: node.name,
      step_index: place.index,
      step_type: node.type
    }),
    on_reject: pause.onReject,
    max_retries: pause.maxRetries,
    timeout_at: yield* deadline(pause),
    on_timeout: pause.onTimeout
  }
  return requirement
})

/** Every continue sends all requirements of a run back, so that a large input would be sent again with each of them. */
const maximalInputLength = 16_384

/** The input of a step that has not started: what the person decides on. */
export const stepInputOf = ({ before, execution }: StepCall): Pick<StepRequirement.StepRequirement, "step_input"> => {
  const step_input = { input: execution.request.input, previous_step_content: before.previous?.content ?? null }
  return JSON.stringify(step_input).length > maximalInputLength ? {} : { step_input }
}

export type ReviewOutcome =
  | { readonly _tag: "Go"; readonly requirement: StepRequirement.StepRequirement }
  | { readonly _tag: "Skip" }
  | { readonly _tag: "Else" }
  | { readonly _tag: "Again"; readonly feedback: string | null }

const rejected = (requirement: StepRequirement.StepRequirement): ReviewOutcome | Rejected => {
  const { max_retries, on_reject, rejection_feedback, step_name } = requirement
  switch (LateDecision.rejectionOf(requirement)) {
    case "cancel":
      return new Rejected({
        reason: on_reject === "retry"
          ? `Max retries (${max_retries}) reached for step '${step_name}'`
          : `Workflow cancelled: Step '${step_name}' was rejected`
      })
    case "else":
      return { _tag: "Else" }
    case "retry":
      return { _tag: "Again", feedback: rejection_feedback }
    case "skip":
      return { _tag: "Skip" }
  }
}

const timedOut = (
  requirement: StepRequirement.StepRequirement,
  action: StepRequirement.OnTimeout
): ReviewOutcome | Rejected => {
  switch (action) {
    case "approve":
      return { _tag: "Go", requirement }
    case "skip":
      return { _tag: "Skip" }
    case "cancel":
      return new Rejected({ reason: `Workflow cancelled: Step '${requirement.step_name}' was not decided in time` })
  }
}

/** The effect of a decision. */
export const outcomeOf = Effect.fnUntraced(
  function*({ decision, requirement }: Answer): Effect.fn.Return<ReviewOutcome, Rejected> {
    const decided = withDecision(requirement as StepRequirement.StepRequirement, decision)
    const verdict = decision.late !== undefined
      ? timedOut(decided, decision.late)
      : decided.confirmed === false
      ? rejected(decided)
      : { _tag: "Go" as const, requirement: decided }
    return verdict._tag === "Rejected" ? yield* verdict : verdict
  }
)

const pauseOf = (node: Node): Pause.Pause | undefined => {
  const { confirmation } = node
  const userInput = node.type === "Step" ? node.userInput : undefined
  return userInput === undefined ? confirmation : { ...userInput, ...confirmation }
}

/** The event of a step that asks a person. */
export const pausedStep = (requirement: StepRequirement.StepRequirement) => ({
  event: "StepPaused" as const,
  requires_confirmation: requirement.requires_confirmation,
  ...(requirement.confirmation_message === null ? {} : { confirmation_message: requirement.confirmation_message }),
  requires_user_input: requirement.requires_user_input,
  ...(requirement.user_input_message === null ? {} : { user_input_message: requirement.user_input_message }),
  ...(requirement.user_input_schema === undefined ? {} : { user_input_schema: requirement.user_input_schema })
})

const inputFields = (node: StepNode | undefined) =>
  node?.userInput === undefined ? {} : {
    requires_user_input: true,
    user_input_message: node.userInput.message ?? null,
    user_input_schema: node.userInput.fields,
    user_input_json_schema: node.userInput.jsonSchema
  }

export type Entry =
  | {
    readonly _tag: "Enter"
    readonly branch: "else" | undefined
    readonly additional: Additional
    readonly userInput: unknown
  }
  | { readonly _tag: "LeaveOut" }

const enter: Entry = { _tag: "Enter", branch: undefined, additional: {}, userInput: undefined }

const feedbackOf = (feedback: string | null): Additional => feedback === null ? {} : { rejection_feedback: feedback }

/** They were checked when the run was continued, and a step can have another schema since. */
const valuesOf = (node: Node, entered: Json.Object | null): Effect.Effect<unknown, Failed> =>
  node.type !== "Step" || node.userInput === undefined
    ? Effect.undefined
    : Effect.mapError(
      node.userInput.decode(entered ?? {}),
      ({ message }) =>
        new Failed({
          message: `Step '${node.name}' needs other values of a person: ${message}`,
          error_type: "Mismatch"
        })
    )

/** Requests the confirmation or input that a step needs before it runs. */
export const reviewBefore = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall
): Effect.fn.Return<Entry, Interruption> {
  const pause = pauseOf(node)
  if (pause === undefined) return enter
  const blank = {
    ...yield* requirementOf({ execution, node, place }, pause),
    ...stepInputOf({ before, execution, node, place })
  }
  let feedback: string | null = null
  for (let round = 0;; round++) {
    const requirement: StepRequirement.StepRequirement = {
      ...blank,
      requires_confirmation: node.confirmation !== undefined,
      confirmation_message: node.confirmation?.message ?? null,
      ...inputFields(node.type === "Step" ? node : undefined),
      retry_count: round,
      rejection_feedback: feedback
    }
    const verdict = yield* outcomeOf(
      yield* requestReview(execution, {
        key: StepKey.request(place.key, round),
        requirement,
        kind: "step",
        announce: () =>
          emitWorkflowEvent(execution, { ...about({ execution, node, place }), ...pausedStep(requirement) })
      })
    )
    if (verdict._tag === "Skip") return { _tag: "LeaveOut" }
    if (verdict._tag === "Again") {
      feedback = verdict.feedback
      continue
    }
    if (!execution.journal.hasStarted(place.key)) {
      emitWorkflowEvent(execution, { event: "StepContinued", ...about({ execution, node, place }) })
    }
    if (verdict._tag === "Else") return { ...enter, branch: "else" }
    const { user_input } = verdict.requirement
    const additional = { ...(user_input === null ? {} : { user_input }), ...feedbackOf(feedback) }
    return { ...enter, additional, userInput: yield* valuesOf(node, user_input) }
  }
})

export interface Review {
  readonly key: string
  readonly pause: Pause.Pause
  readonly round: number
  /** The output under review. */
  readonly output: Json.Value
  readonly feedback: string | null
}

/** Requests the review of a step's output. */
export const reviewAfter = Effect.fnUntraced(function*(
  { execution, node, place }: StepAt,
  { feedback, key, output, pause, round }: Review
) {
  const requirement: StepRequirement.StepRequirement = {
    ...yield* requirementOf({ execution, node, place }, pause),
    requires_output_review: true,
    output_review_message: pause.message ?? null,
    is_post_execution: true,
    step_output: output,
    retry_count: round,
    rejection_feedback: feedback
  }
  const announce = () =>
    emitWorkflowEvent(execution, {
      event: "StepOutputReview",
      ...about({ execution, node, place }),
      ...(pause.message === undefined ? {} : { output_review_message: pause.message }),
      requires_output_review: true
    })
  return yield* outcomeOf(yield* requestReview(execution, { key, requirement, kind: "step", announce }))
})
