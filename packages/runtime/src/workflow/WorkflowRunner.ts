// Executes a run of a workflow, from its input or from the last entry of its journal. It never fails: an error or a
// pause becomes the end of the run. An interruption without a cancellation leaves the run unfinished for another node.
import type * as Json from "@svc/domain/Json"
import type * as StepOutput from "@svc/domain/StepOutput"
import type * as StepRequirement from "@svc/domain/StepRequirement"
import type * as WorkflowEvent from "@svc/domain/WorkflowEvent"
import type * as WorkflowRun from "@svc/domain/WorkflowRun"
import { Cause, Clock, Effect, Option } from "effect"
import * as SessionState from "../agent/SessionState.ts"
import type { Runnable, RunResult, Start } from "../run/Runnable.ts"
import * as UserCode from "../usercode/UserCode.ts"
import type { Execution, WorkflowRequest } from "./Execution.ts"
import * as ExecutorApprovals from "./ExecutorApprovals.ts"
import * as Interpreter from "./Interpreter.ts"
import type { Interruption, Paused } from "./Interruption.ts"
import * as Journal from "./Journal.ts"
import type { AnyWorkflow } from "./Node.ts"
import * as StateDraft from "./StateDraft.ts"
import * as StepIds from "./StepIds.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import { top } from "./StepPath.ts"
import * as WorkflowBody from "./WorkflowBody.ts"
import { encode, type WorkflowCommand } from "./WorkflowCommand.ts"
import * as WorkflowOutputs from "./WorkflowOutputs.ts"

export type Dependencies = Pick<Execution, "prepare" | "approvalsOf" | "endApprovals">

type Outcome =
  | { readonly _tag: "Completed" }
  | { readonly _tag: "Paused"; readonly paused: Paused }
  | { readonly _tag: "Cancelled"; readonly reason: string; readonly isInterrupted: boolean }
  | { readonly _tag: "Failed"; readonly message: string; readonly error_type: string }

const unexpected: Outcome = {
  _tag: "Failed",
  message: "The workflow failed unexpectedly. The log of the service says more.",
  error_type: "workflow_run_error"
}

const outcomeOfHalt = (halt: Interruption): Outcome => {
  switch (halt._tag) {
    case "Paused":
      return { _tag: "Paused", paused: halt }
    case "Rejected":
      return { _tag: "Cancelled", reason: halt.reason, isInterrupted: false }
    case "Broken":
      return { _tag: "Failed", message: halt.message, error_type: halt.error_type }
  }
}

const failed = (cause: Cause.Cause<Interruption>): Effect.Effect<Outcome> => {
  const halt = Option.getOrUndefined(Cause.findErrorOption(cause))
  return halt === undefined
    ? Effect.as(Effect.logError("A run failed", cause), unexpected)
    : Effect.succeed(outcomeOfHalt(halt))
}

/** The work to cancel when the workflow stops. */
const closeOpenSteps = (execution: Execution, results: ReadonlyArray<StepOutput.StepOutput>) => {
  const next = execution.workflow.steps[results.length]
  if (next === undefined) return []
  return [StepOutputs.done(execution, next, top(results.length), {
    content: "",
    success: false,
    error: "Cancelled during execution"
  })]
}

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

const pauseOf = ({ kind, requirement, step_index, step_name }: Paused) => ({
  paused_step_index: step_index,
  paused_step_name: step_name,
  ...(kind === undefined ? {} : { pause_kind: kind }),
  ...(isError(requirement) ? { error_requirements: [requirement] } : {})
})

/** The decided requirements, and the open one at the end. */
const requirementsOf = (journal: Journal.Journal, outcome: Outcome): ReadonlyArray<StepRequirement.StepRequirement> => {
  const all = journal.requirements()
  if (outcome._tag !== "Paused") return all
  const { requirement } = outcome.paused
  return isError(requirement) ? all : [...all.filter((one) => one !== requirement), requirement]
}

interface Finished {
  readonly createdAt: number
  readonly execution: Execution
  readonly results: WorkflowOutputs.Results
  readonly outcome: Outcome
  /** Seconds. */
  readonly duration: number
}

const outputOf = ({ createdAt, duration, execution, outcome, results }: Finished): WorkflowRun.Output => {
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
    ...(execution.runs.length === 0 ? {} : { step_executor_runs: execution.runs }),
    metrics: WorkflowOutputs.metricsOf(results, duration),
    ...(workflow.metadata === undefined ? {} : { metadata: workflow.metadata }),
    ...(requirements.length === 0 ? {} : { step_requirements: requirements }),
    ...(outcome._tag === "Paused" ? pauseOf(outcome.paused) : {})
  }
}

const completed = (output: WorkflowRun.Output): WorkflowEvent.Payload => ({
  event: "WorkflowCompleted",
  ...(output.content === undefined ? {} : { content: output.content }),
  content_type: output.content_type,
  step_results: output.step_results ?? [],
  step_executor_runs: output.step_executor_runs ?? [],
  ...(output.metadata === undefined ? {} : { metadata: output.metadata }),
  ...(output.metrics === undefined ? {} : { metrics: output.metrics })
})

const paused = (output: WorkflowRun.Output, pause: Paused): WorkflowEvent.Payload => ({
  event: "WorkflowPaused",
  status: "PAUSED",
  ...pauseOf(pause),
  ...(output.step_requirements === undefined ? {} : { step_requirements: output.step_requirements }),
  ...(output.step_results === undefined ? {} : { step_results: output.step_results }),
  ...(output.step_executor_runs === undefined ? {} : { step_executor_runs: output.step_executor_runs }),
  ...(output.content === undefined ? {} : { content: output.content }),
  ...(output.metadata === undefined ? {} : { metadata: output.metadata })
})

const endEventOf = (outcome: Outcome, output: WorkflowRun.Output): WorkflowEvent.Payload => {
  switch (outcome._tag) {
    case "Completed":
      return completed(output)
    case "Paused":
      return paused(output, outcome.paused)
    case "Cancelled":
      return { event: "WorkflowCancelled", reason: outcome.reason, content: outcome.reason }
    case "Failed":
      return { event: "WorkflowError", error: outcome.message, error_type: outcome.error_type }
  }
}

const askingOf = (command: WorkflowCommand): WorkflowRequest => {
  const { dependencies, input: { input_content, ...media }, metadata, run_id, session_id, stream, user_id } = command
  return {
    run_id,
    root_run_id: run_id,
    session_id,
    user_id,
    input: input_content,
    media,
    dependencies,
    metadata: { ...command.workflow.metadata, ...metadata },
    stream
  }
}

const executionOf = Effect.fnUntraced(function*(command: WorkflowCommand, surroundings: Dependencies, start: Start) {
  const { snapshot: begun, cancellation, emit, journal: written } = start
  const { run_id, session_state, workflow } = command
  const { attempt, entries, record, resumedAt, underLease } = written
  const journal = Journal.make(
    yield* Effect.orDie(Journal.decode(entries)),
    (entry) => record(Journal.encode(entry)),
    resumedAt
  )
  const sent = resumedAt === undefined ? session_state : undefined
  const state: StateDraft.SharedState = { current: SessionState.open(begun.session_state, sent) }
  for (const change of journal.unstoredChanges()) StateDraft.apply(state, change)
  const execution: Execution = {
    workflow,
    request: askingOf(command),
    journal,
    state,
    runs: [...journal.runsIn(StepKey.outermost)],
    emit: emit,
    ...surroundings,
    cancellation,
    underLease,
    attempt,
    idOf: StepIds.make(workflow, run_id),
    depth: 0,
    execute: Interpreter.execute
  }
  return execution
})

/** The end of the run. Undefined if another node resumes it. */
const outcomeOf = Effect.fnUntraced(function*(
  execution: Execution,
  results: Array<StepOutput.StepOutput>,
  stored: Json.Object
): Effect.fn.Return<Outcome | undefined> {
  const { cancellation } = execution
  const cancelled = (reason: string, isInterrupted: boolean): Outcome => ({ _tag: "Cancelled", reason, isInterrupted })
  if (cancellation.reason !== undefined) return cancelled(cancellation.reason, false)
  const running = WorkflowBody.run(execution, { prefix: StepKey.outermost, parent: undefined, results })
  const exit = yield* Effect.exit(Effect.interruptible(UserCode.exitOf(running)))
  if (cancellation.reason !== undefined) return cancelled(cancellation.reason, true)
  if (exit._tag === "Failure") return undefined
  if (exit.value._tag === "Failure") return yield* failed(exit.value.cause)
  const { current } = execution.state
  return yield* Effect.match(SessionState.check(stored, current), {
    onSuccess: (): Outcome => ({ _tag: "Completed" }),
    onFailure: ({ _tag, message }): Outcome => ({ _tag: "Failed", message, error_type: _tag })
  })
})

/** Cancels approvals still pending in nested runs when the workflow ends. */
const cancelPending = ({ endApprovals, journal }: Execution) =>
  Effect.forEach(
    journal.pendingExecutors().flatMap(({ requirement }) => ExecutorApprovals.runsOf(requirement)),
    endApprovals,
    {
      discard: true
    }
  )

const execute = Effect.fnUntraced(function*(command: WorkflowCommand, surroundings: Dependencies, start: Start) {
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeNanosUnsafe()
  const execution = yield* executionOf(command, surroundings, start)
  const results: Array<StepOutput.StepOutput> = []
  const outcome = yield* outcomeOf(execution, results, start.snapshot.session_state)
  if (outcome === undefined) {
    yield* Effect.logInfo("A run is handed over")
    return Option.none<RunResult<WorkflowRun.Output>>()
  }
  if (outcome._tag === "Cancelled" || outcome._tag === "Failed") yield* cancelPending(execution)
  const isCutOff = outcome._tag === "Cancelled" && outcome.isInterrupted
  const output = outputOf({
    createdAt: start.createdAt,
    execution,
    outcome,
    results: isCutOff ? [...results, ...closeOpenSteps(execution, results)] : results,
    duration: Number(clock.currentTimeNanosUnsafe() - startedAt) / 1e9
  })
  const { changes } = yield* SessionState.close(start.snapshot.session_state, execution.state.current)
  return Option.some({ output, endEvent: endEventOf(outcome, output), stateChanges: changes })
})

/** The data of the workflow in its session. */
const dataOf = ({ id, name, steps }: AnyWorkflow): Json.Object => ({
  workflow_id: id,
  name,
  steps: steps.map((step) => ({ name: step.name, description: step.description ?? null, type: step.type }))
})

/** A run of a workflow as a Runnable. */
export const make = (command: WorkflowCommand, surroundings: Dependencies): Runnable<WorkflowRun.Output> => {
  const { run_id, workflow } = command
  return {
    component: {
      kind: "workflow",
      id: workflow.id,
      tags: { workflow_id: workflow.id, workflow_name: workflow.name },
      data: dataOf(workflow),
      metadata: workflow.metadata ?? null
    },
    options: encode(command),
    storesEvents: workflow.storeEvents,
    history: 0,
    // its steps can read and change the session state
    isSerialized: true,
    startEvent: { event: "WorkflowStarted" },
    entries: [],
    run: (start) => Effect.annotateLogs(execute(command, surroundings, start), { run_id, workflow_id: workflow.id })
  }
}
