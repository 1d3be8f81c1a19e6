// Executes a run of a workflow, from its input or from the last entry of its journal. It never fails: an error or a
// pause becomes the end of the run. An interruption without a cancellation leaves the run unfinished for another node.
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as PausedCancel from "@svc-runtime/engine/run/engine/PausedCancel"
import * as InheritedOptions from "@svc-runtime/engine/run/InheritedOptions"
import * as RunLogLines from "@svc-runtime/engine/run/RunLogLines"
import type { Runnable, RunResult, Start } from "@svc-runtime/engine/run/Runnable"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import { spanOfRun } from "@svc-runtime/engine/run/spanOfRun"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Clock, Effect, Option } from "effect"
import * as OnlineScoring from "../agent/define/OnlineScoring.ts"
import * as SessionState from "../agent/execute/SessionState.ts"
import type { AnyWorkflow } from "./define/Node.ts"
import * as StepIds from "./define/StepIds.ts"
import * as DurableStep from "./execute/DurableStep.ts"
import * as ExecutorRuns from "./execute/ExecutorRuns.ts"
import * as Executors from "./execute/Executors.ts"
import * as Interpreter from "./execute/Interpreter.ts"
import * as StateDraft from "./execute/StateDraft.ts"
import * as StepKey from "./execute/StepKey.ts"
import * as StepOutputs from "./execute/StepOutputs.ts"
import { top } from "./execute/StepPath.ts"
import type { WorkflowExecution, WorkflowRequest } from "./execute/WorkflowExecution.ts"
import * as WorkflowJournal from "./execute/WorkflowJournal.ts"
import * as ExecutorApprovals from "./pause/ExecutorApprovals.ts"
import * as WorkflowBody from "./WorkflowBody.ts"
import { encode, type WorkflowCommand } from "./WorkflowCommand.ts"
import { endEventOf, outputOf } from "./WorkflowEnd.ts"
import { failed, type Outcome } from "./WorkflowOutcome.ts"
import * as WorkflowSpan from "./WorkflowSpan.ts"

// The jobs after the end of a run of a workflow. A run gets one extraction job and one learning job, with the options
// of the first agent that answered.

type Runs = ReadonlyArray<Json.Object>

/** A team and an agent can have the same id. */
const keyOf = (kind: "agent" | "team", id: string): string => `${kind} ${id}`

/** The keys of what answered in a step, also in steps of workflows in steps. */
const answeredIn = (runs: Runs): ReadonlyArray<string> =>
  runs.flatMap(({ agent_id, status, step_executor_runs: inside, team_id }) => [
    ...(status === "COMPLETED" && typeof team_id === "string" ? [keyOf("team", team_id)] : []),
    ...(status === "COMPLETED" && typeof agent_id === "string" ? [keyOf("agent", agent_id)] : []),
    ...(Array.isArray(inside) ? answeredIn(inside as Runs) : [])
  ])

const jobsReading = Effect.fnUntraced(function*(
  command: WorkflowCommand,
  runs: Runs
) {
  const { run_id, session_id, user_id, workflow } = command
  if (!InheritedOptions.reachesUser(command) || runs.length === 0) return []
  const answered = new Set(answeredIn(runs))
  const executors = Executors.of(workflow).filter(({ agent: { id }, isLeader }) =>
    answered.has(keyOf(isLeader ? "team" : "agent", id))
  )
  const run = { run_id, session_id, user_id }
  const parts = new Map(executors.flatMap(({ agent }) => agent.parts.map((part) => [part.name, part] as const)))
  const jobs = yield* Effect.forEach(parts.values(), ({ afterWorkflow }) => {
    const first = executors.find(({ agent }) => afterWorkflow?.applies(agent) === true)
    return first === undefined || afterWorkflow === undefined
      ? Effect.succeed([])
      : afterWorkflow.jobs({ ...run, ...first })
  })
  return jobs.flat()
})

const after = Effect.fnUntraced(function*(command: WorkflowCommand, runs: Runs) {
  return [
    ...yield* jobsReading(command, runs),
    ...yield* OnlineScoring.after(command, command.workflow.onlineScoring)
  ]
})

export type Dependencies = Pick<WorkflowExecution, "prepare" | "approvalsOf" | "endApprovals">

/** The work to cancel when the workflow stops. */
const closeOpenSteps = (execution: WorkflowExecution, results: ReadonlyArray<StepOutput.StepOutput>) => {
  const next = execution.workflow.steps[results.length]
  if (next === undefined) return []
  return [StepOutputs.done({ execution, node: next, place: top(results.length) }, {
    content: "",
    success: false,
    error: "Cancelled during execution"
  })]
}

const requestOf = (command: WorkflowCommand, entries: ReadonlyArray<WorkflowJournal.Entry>): WorkflowRequest => {
  const { input: { input_content, ...media }, run_id, session_id, stream, user_id, workflow } = command
  return {
    run_id,
    root_run_id: command.root_run_id ?? run_id,
    session_id,
    user_id,
    input: input_content,
    media,
    given: RunContextOptions.of(command, workflow, WorkflowJournal.metadataIn(entries)),
    inherited: InheritedOptions.of(command),
    stream
  }
}

const executionOf = Effect.fnUntraced(function*(command: WorkflowCommand, dependencies: Dependencies, start: Start) {
  const { cancellation, emit, journal: written, snapshot } = start
  const { run_id, workflow } = command
  const { attempt, record, resumedAt, underLease } = written
  const entries = yield* Effect.orDie(WorkflowJournal.decode(written.entries))
  const journal = WorkflowJournal.make(
    entries,
    (entry, emit) => record(WorkflowJournal.encode(entry), emit),
    resumedAt
  )
  const state: StateDraft.SharedState = {
    current: SessionState.open(snapshot.session_state, SharedOptions.unstoredState(command, written))
  }
  for (const change of journal.unstoredChanges()) StateDraft.apply(state, change)
  const execution: WorkflowExecution = {
    workflow,
    request: requestOf(command, entries),
    journal,
    state,
    runs: [...journal.runsIn(StepKey.outermost)],
    emit: emit,
    ...dependencies,
    cancellation,
    underLease,
    attempt,
    idOf: StepIds.make(workflow, run_id),
    depth: 0,
    durable: DurableStep.of,
    execute: Interpreter.execute
  }
  return execution
})

/** The end of the run. Undefined if another node resumes it. */
const outcomeOf = Effect.fnUntraced(function*(
  execution: WorkflowExecution,
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

/** Why a run ends that its step left paused. */
const reasonOf = (outcome: Outcome): string =>
  outcome._tag === "Cancelled" ? outcome.reason : "The workflow ended while this run was paused"

/** A tool call cannot pass on what its workflow waits for. */
const withoutPause = ({ isTool = false }: WorkflowCommand, outcome: Outcome | undefined): Outcome | undefined =>
  isTool && outcome?._tag === "Paused"
    ? {
      _tag: "Failed",
      message: `Step '${outcome.paused.step_name}' waits for a decision, which a workflow that is a tool cannot do`,
      error_type: "workflow_run_error"
    }
    : outcome

/** Cancels approvals still pending in nested runs when the workflow ends. */
const cancelPending = ({ endApprovals, journal }: WorkflowExecution) =>
  Effect.forEach(
    journal.pendingExecutors().flatMap(({ requirement }) => ExecutorApprovals.runsOf(requirement)),
    endApprovals,
    {
      discard: true
    }
  )

const execute = Effect.fnUntraced(function*(command: WorkflowCommand, dependencies: Dependencies, start: Start) {
  const clock = yield* Clock.Clock
  const startedAt = clock.monotonicTimeNanosUnsafe()
  const execution = yield* executionOf(command, dependencies, start)
  const results: Array<StepOutput.StepOutput> = []
  const outcome = withoutPause(command, yield* outcomeOf(execution, results, start.snapshot.session_state))
  if (outcome === undefined) {
    yield* Effect.logInfo("A run is handed over")
    return Option.none<RunResult<WorkflowRun.Output>>()
  }
  if (outcome._tag === "Cancelled" || outcome._tag === "Failed") yield* cancelPending(execution)
  const runs = yield* ExecutorRuns.all(execution)
  const isCutOff = outcome._tag === "Cancelled" && outcome.isInterrupted
  const output = outputOf({
    createdAt: start.createdAt,
    execution,
    runs: outcome._tag === "Paused" ? runs : runs.map((run) => PausedCancel.executorEnd(run, reasonOf(outcome))),
    outcome,
    results: isCutOff ? [...results, ...closeOpenSteps(execution, results)] : results,
    duration: Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9
  })
  const { changes, state } = yield* SessionState.close(start.snapshot.session_state, execution.state.current)
  const jobs = outcome._tag === "Completed" ? yield* after(command, execution.runs) : []
  return Option.some({ output, endEvent: endEventOf(outcome, output, state), stateChanges: changes, jobs })
})

/** The data of the workflow in its session. */
const dataOf = ({ id, name, steps }: AnyWorkflow): Json.Object => ({
  workflow_id: id,
  name,
  steps: steps.map((step) => ({ name: step.name, description: step.description ?? null, type: step.type }))
})

/** A run of a workflow as a Runnable. */
export const make = (command: WorkflowCommand, dependencies: Dependencies): Runnable<WorkflowRun.Output> => {
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
    limits: workflow.limits,
    startEvent: { event: "WorkflowStarted" },
    entries: [],
    run: (start) => {
      const executing = RunLogLines.withIds(execute(command, dependencies, start), { run_id, workflow_id: workflow.id })
      return spanOfRun(executing, command, start, WorkflowSpan.of(workflow))
    }
  }
}
