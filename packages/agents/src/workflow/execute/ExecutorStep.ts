// A step with an agent or a team as executor: a nested run, whose events are part of the workflow's stream.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import type { RunJournal } from "@svc-runtime/engine/run/journal/RunJournal"
import type { ComponentIdentity } from "@svc-runtime/engine/run/Runnable"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import { Effect, Option } from "effect"
import * as AgentRunOptions from "../../agent/define/AgentRunOptions.ts"
import type { AgentCommand } from "../../agent/execute/AgentCommand.ts"
import type { Given } from "../../nested/InnerCommand.ts"
import * as Team from "../../team/Team.ts"
import type { TeamCommand } from "../../team/TeamCommand.ts"
import * as ExecutorPause from "../pause/ExecutorPause.ts"
import type { Interruption } from "../pause/Interruption.ts"
import * as ExecutorRuns from "./ExecutorRuns.ts"
import * as StartedRun from "./StartedRun.ts"
import { StepFailure } from "./StepFailure.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import type { StepPath } from "./StepPath.ts"
import {
  about,
  type StepCall,
  type StepCompletion,
  type StepContext,
  type WorkflowExecution
} from "./WorkflowExecution.ts"

/** Adds the step to every event, and the workflow run to events of the run itself. */
const emitterOf = ({ execution, node, place, run_id }: ExecutorPause.ExecutorRun, { tags }: ComponentIdentity) => {
  const { request, emit, workflow } = execution
  const { parent_step_id: _, ...step } = about({ execution, node, place })
  const at = { workflow_id: workflow.id, workflow_run_id: request.run_id, ...step }
  const its = { ...tags, run_id, session_id: request.session_id, nested_depth: 0 }
  return (payload: RunEvent.Payload | RunEvent.Inner) =>
    emit({ ...payload, ...("run_id" in payload ? {} : its), ...at } as RunEvent.Inner)
}

/** The result of the previous step, or the input of the workflow, also after a step that gave nothing. */
const inputOf = ({ request }: WorkflowExecution, { additional, previous }: StepContext): Run.Input => {
  const content = previous?.content ?? request.input
  const input_content = Object.keys(additional).length === 0
    ? content
    : `${Run.textOf(content)}\n\n<additional_data>\n${JSON.stringify(additional)}\n</additional_data>`
  return { input_content, ...request.media }
}

/** The run of an earlier attempt, unless it failed. */
const begunOf = Effect.fnUntraced(function*({ journal }: WorkflowExecution, place: StepPath) {
  const known = StartedRun.decode(journal.chosen(StepKey.executorRun(place.key)))
  if (Option.isSome(known) && !journal.hasFailed(known.value.run_id)) return { ...known.value, isKnown: true }
  return { run_id: Run.Id.make((yield* NewId)()), created_at: yield* now, isKnown: false }
})

const commandOf = (
  { execution: { request }, run_id, executor }: ExecutorPause.ExecutorRun,
  input: Run.Input,
  given: Given
): AgentCommand | TeamCommand => ({
  ...(Team.isTeam(executor) ? { team: executor } : { agent: executor }),
  run_id,
  root_run_id: request.root_run_id,
  session_id: request.session_id,
  user_id: request.user_id,
  isolated: false,
  input,
  stream: request.stream,
  background: false,
  ...SharedOptions.ofInnerRun(request.given),
  // the session belongs to the workflow and is not a conversation
  ...AgentRunOptions.withoutHistory,
  ...request.inherited,
  ...given
})

/** The run's journal is part of the workflow's, so that it resumes after its last call. */
const journalOf = ({ attempt, journal, underLease }: WorkflowExecution, run_id: Run.Id): RunJournal => ({
  attempt,
  underLease,
  entries: journal.inner(run_id),
  record: (entry) => journal.append({ kind: "executor", key: run_id, entry })
})

/** The step that a run is of. */
const parentOf = ({ execution, place }: Pick<ExecutorPause.ExecutorRun, "execution" | "place">) => ({
  parent_run_id: execution.request.run_id,
  workflow_step_id: execution.idOf(place.path)
})

/** The run as `step_executor_runs` shows it. */
const keptOf = (
  { execution, place }: ExecutorPause.ExecutorRun,
  output: TeamRun.MemberResponse
): TeamRun.MemberResponse => ({
  ...output.status === "PAUSED" ? ExecutorPause.withoutLogs(output) : output,
  ...parentOf({ execution, place })
})

/** Before the step can be interrupted, so that its usage is never lost. A paused run is stored with its request. */
const keep = Effect.fnUntraced(function*({ execution, place, run_id }: ExecutorPause.ExecutorRun, kept: Json.Object) {
  ExecutorRuns.put(execution.runs, kept)
  if (kept["status"] !== "ERROR" && kept["status"] !== "CANCELLED") return
  yield* execution.journal.append({ kind: "chosen", key: StepKey.failedRun(place.key, run_id), choice: kept })
})

/** The finished run. */
const runExecutor = Effect.fnUntraced(function*(
  doing: ExecutorPause.ExecutorRun,
  before: StepContext,
  { created_at, isKnown }: Effect.Success<ReturnType<typeof begunOf>>,
  given: Given
) {
  const { execution, place, run_id } = doing
  const { cancellation, journal, prepare, state: { current }, workflow } = execution
  const runnable = yield* prepare(commandOf(doing, inputOf(execution, before), given))
  const emit = workflow.streamExecutorEvents ? emitterOf(doing, runnable.component) : () => {}
  if (!isKnown) {
    emit(runnable.startEvent)
    const id = { [Team.isTeam(doing.executor) ? "team_id" : "agent_id"]: doing.executor.id }
    const choice = { run_id, created_at, ...id, ...parentOf(doing) }
    yield* journal.append({ kind: "chosen", key: StepKey.executorRun(place.key), choice })
  }
  const round = yield* ExecutorPause.answered(doing)
  const ended = yield* Effect.uninterruptible(Effect.tap(
    runnable.run({
      snapshot: { session_state: current, history: [] },
      createdAt: created_at,
      emit,
      cancellation,
      journal: journalOf(execution, run_id),
      isContinued: isKnown
    }),
    Effect.fnUntraced(function*(ended) {
      if (Option.isNone(ended)) return
      emit(ended.value.endEvent)
      yield* keep(doing, Json.of(keptOf(doing, ended.value.output)))
    })
  ))
  // another node resumes the whole workflow, or none does
  if (Option.isNone(ended) || ended.value.output.status === "CANCELLED") return yield* Effect.interrupt
  const { output, stateChanges } = ended.value
  if (output.status === "PAUSED") {
    return yield* ExecutorPause.requestExecutorInput(doing, ExecutorPause.askedBy(keptOf(doing, output)), round)
  }
  return { output, state: stateChanges }
})

/** One attempt. */
export const perform = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall,
  executor: Team.Member,
  given: Given = {}
): Effect.fn.Return<StepCompletion, StepFailure | Interruption> {
  const begun = yield* begunOf(execution, place)
  const { run_id } = begun
  const doing: ExecutorPause.ExecutorRun = { executor, execution, node, place, run_id }
  const { output, state } = yield* runExecutor(doing, before, begun, given)
  if (output.status !== "COMPLETED") {
    const message = Run.textOf(output.content ?? `${executor.name} did not answer`)
    return yield* new StepFailure({ message, error_type: "agent_run_error" })
  }
  const audio = AnyRun.audioOf(output)
  return {
    output: StepOutputs.done({ execution, node, place }, {
      content: output.content ?? null,
      executor_type: ExecutorPause.typeOf(executor),
      executor_name: executor.name,
      step_run_id: run_id,
      metrics: output.metrics ?? null,
      images: output.images ?? null,
      audio: audio.length === 0 ? null : audio,
      files: output.files ?? null
    }),
    state,
    runs: [Json.of(keptOf(doing, output))]
  }
})
