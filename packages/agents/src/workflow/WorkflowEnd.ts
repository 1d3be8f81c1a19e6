// The output and the last event of a workflow's run, by the outcome of its execution.
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as WorkflowEvent from "@svc-runtime/domain/WorkflowEvent"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import * as StepOutputs from "./execute/StepOutputs.ts"
import type { WorkflowExecution } from "./execute/WorkflowExecution.ts"
import type * as WorkflowJournal from "./execute/WorkflowJournal.ts"
import type { Paused } from "./pause/Interruption.ts"
import type { Outcome } from "./WorkflowOutcome.ts"
import * as WorkflowOutputs from "./WorkflowOutputs.ts"

const statuses = { Completed: "COMPLETED", Paused: "PAUSED", Cancelled: "CANCELLED", Failed: "ERROR" } as const

const contentOf = (outcome: Outcome, results: WorkflowOutputs.Results): Json.Value => {
  switch (outcome._tag) {
    case "Completed":
      return WorkflowOutputs.contentOf(results)
    case "Paused":
      return results.length === 0 ? "" : WorkflowOutputs.contentOf(results)
    case "Cancelled":
      return outcome.reason
    case "Failed":
      return outcome.message
  }
}

const isError = (
  requirement: Paused["requirement"]
): requirement is StepRequirement.ErrorRequirement => "error_message" in requirement

const pauseOf = ({ kind, step_index, step_name }: Paused) => ({
  paused_step_index: step_index,
  paused_step_name: step_name,
  ...(kind === undefined ? {} : { pause_kind: kind })
})

/** All failed steps that wait, also beside a step that asks, so that one request can decide them. */
const errorsOf = ({ openErrors }: WorkflowJournal.WorkflowJournal, { requirement }: Paused) => {
  const others = openErrors().filter(({ step_id }) => step_id !== requirement.step_id)
  const all = isError(requirement) ? [...others, requirement] : others
  return all.length === 0 ? {} : { error_requirements: all }
}

/** All requirements, and the one that is shown at the end. Those of a paused run say whether they still wait. */
const requirementsOf = (
  journal: WorkflowJournal.WorkflowJournal,
  outcome: Outcome
): ReadonlyArray<StepRequirement.StepRequirement> => {
  const all = journal.requirements()
  if (outcome._tag !== "Paused") return all.map(({ requirement }) => requirement)
  const shown = outcome.paused.requirement
  const others = all.filter(({ requirement }) => requirement !== shown).map(({ key, requirement }) => ({
    ...requirement,
    resolved: !journal.isOpen(key)
  }))
  return isError(shown) ? others : [...others, { ...shown, resolved: false }]
}

export interface Finished {
  readonly createdAt: number
  readonly execution: WorkflowExecution
  /** Of its executors. */
  readonly runs: ReadonlyArray<Json.Object>
  readonly results: WorkflowOutputs.Results
  readonly outcome: Outcome
  /** Seconds. */
  readonly duration: number
}

export const outputOf = ({ createdAt, duration, execution, outcome, results, runs }: Finished): WorkflowRun.Output => {
  const { request, workflow } = execution
  const content = contentOf(outcome, results)
  const requirements = requirementsOf(execution.journal, outcome)
  return {
    run_id: request.run_id,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    session_id: request.session_id,
    ...(request.user_id === undefined ? {} : { user_id: request.user_id }),
    input: request.input,
    content,
    content_type: StepOutputs.contentTypeOf(content),
    created_at: createdAt,
    status: statuses[outcome._tag],
    ...WorkflowOutputs.mediaOf(results),
    ...(results.length === 0 ? {} : { step_results: results }),
    ...(runs.length === 0 ? {} : { step_executor_runs: runs }),
    metrics: WorkflowOutputs.metricsOf(execution, runs, duration),
    ...RunContextOptions.kept(request.given),
    ...(requirements.length === 0 ? {} : { step_requirements: requirements }),
    ...(outcome._tag === "Paused"
      ? {
        ...pauseOf(outcome.paused),
        ...(outcome.paused.wakeAt === undefined ? {} : { wake_at: outcome.paused.wakeAt }),
        ...errorsOf(execution.journal, outcome.paused)
      }
      : {})
  }
}

const completed = (output: WorkflowRun.Output, state: Json.Object): WorkflowEvent.Payload => ({
  event: "WorkflowCompleted",
  ...(output.content === undefined ? {} : { content: output.content }),
  content_type: output.content_type,
  step_results: output.step_results ?? [],
  step_executor_runs: output.step_executor_runs ?? [],
  ...(output.metadata === undefined ? {} : { metadata: output.metadata }),
  ...(output.metrics === undefined ? {} : { metrics: output.metrics }),
  ...(Object.keys(state).length === 0 ? {} : { session_state: state })
})

const paused = (output: WorkflowRun.Output, pause: Paused): WorkflowEvent.Payload => ({
  event: "WorkflowPaused",
  status: "PAUSED",
  ...pauseOf(pause),
  ...(output.error_requirements === undefined ? {} : { error_requirements: output.error_requirements }),
  ...(output.step_requirements === undefined ? {} : { step_requirements: output.step_requirements }),
  ...(output.step_results === undefined ? {} : { step_results: output.step_results }),
  ...(output.step_executor_runs === undefined ? {} : { step_executor_runs: output.step_executor_runs }),
  ...(output.content === undefined ? {} : { content: output.content }),
  ...(output.metadata === undefined ? {} : { metadata: output.metadata })
})

export const endEventOf = (
  outcome: Outcome,
  output: WorkflowRun.Output,
  state: Json.Object
): WorkflowEvent.Payload => {
  switch (outcome._tag) {
    case "Completed":
      return completed(output, state)
    case "Paused":
      return paused(output, outcome.paused)
    case "Cancelled":
      return { event: "WorkflowCancelled", reason: outcome.reason, content: outcome.reason }
    case "Failed":
      return { event: "WorkflowError", error: outcome.message, error_type: outcome.error_type }
  }
}
