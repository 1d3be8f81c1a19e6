// A step with another workflow: a nested run with its own id, events and paths.
import * as Run from "@svc-runtime/domain/Run"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import { NewId } from "@svc-runtime/engine/NewId"
import { decodeJson } from "@svc-runtime/engine/schema/AnySchema"
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import { Cause, Effect, Option } from "effect"
import type { AnyWorkflow } from "../define/Node.ts"
import * as StepIds from "../define/StepIds.ts"
import { Failed, type Interruption } from "../pause/Interruption.ts"
import * as WorkflowBody from "../WorkflowBody.ts"
import * as WorkflowOutputs from "../WorkflowOutputs.ts"
import * as WorkflowSpan from "../WorkflowSpan.ts"
import * as ExecutorRuns from "./ExecutorRuns.ts"
import { StepFailure } from "./StepFailure.ts"
import * as StepKey from "./StepKey.ts"
import * as StepOutputs from "./StepOutputs.ts"
import type { StepPath } from "./StepPath.ts"
import {
  about,
  emitWorkflowEvent,
  type StepCall,
  type StepCompletion,
  type StepContext,
  type WorkflowExecution
} from "./WorkflowExecution.ts"

/** The same after a resume. */
const runId = Effect.fnUntraced(function*({ journal }: WorkflowExecution, place: StepPath) {
  const key = StepKey.executorRun(place.key)
  const known = journal.chosen(key)
  if (typeof known === "string") return Run.Id.make(known)
  const id = (yield* NewId)()
  yield* journal.append({ kind: "chosen", key, choice: id })
  return Run.Id.make(id)
})

const checkedInput = (workflow: AnyWorkflow, before: StepContext, execution: WorkflowExecution) => {
  const input = before.previous === undefined ? execution.request.input : before.previous.value
  if (workflow.inputSchema === undefined) return Effect.succeed(input)
  return decodeJson(workflow.inputSchema, input).pipe(
    Effect.mapError((mismatch) =>
      new StepFailure({
        message: `Workflow '${workflow.id}' takes another input: ${mismatch.message}`,
        error_type: "Mismatch"
      })
    )
  )
}

interface Nested {
  readonly workflow: AnyWorkflow
  readonly input: WorkflowExecution["request"]["input"]
  readonly run_id: Run.Id
  /** Its first event was not shown yet. */
  readonly isFresh: boolean
}

/** Undefined: it was interrupted. */
const statusAt = (stop: Interruption | undefined): Run.Status => {
  if (stop === undefined || stop._tag === "Rejected") return "CANCELLED"
  return stop._tag === "Paused" ? "PAUSED" : "ERROR"
}

const run = Effect.fnUntraced(function*(
  { execution, node, place }: StepCall,
  { input, isFresh, run_id, workflow }: Nested
): Effect.fn.Return<StepCompletion, StepFailure | Interruption> {
  const prefix = StepKey.nested(place.key)
  const inner: WorkflowExecution = {
    ...execution,
    workflow,
    request: { ...execution.request, run_id, input },
    depth: execution.depth + 1,
    idOf: StepIds.make(workflow, run_id),
    runs: [...execution.journal.runsIn(prefix)]
  }
  const parent = { parent_step_id: about({ execution, node, place }).step_id }
  if (isFresh) emitWorkflowEvent(inner, { event: "WorkflowStarted", ...parent })
  const step = execution.idOf(place.path)
  const finished: Array<StepOutput.StepOutput> = []
  const body = WorkflowBody.run(inner, { prefix, parent: parent.parent_step_id, results: finished })
  const results = yield* Effect.onExit(body, (exit) =>
    Effect.sync(() => {
      if (exit._tag === "Success") return
      const stop = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      ExecutorRuns.put(execution.runs, WorkflowOutputs.nested(inner, finished, step, statusAt(stop)))
    }))
  const text = WorkflowOutputs.contentOf(results)
  emitWorkflowEvent(inner, {
    event: "WorkflowCompleted",
    ...parent,
    content: text,
    content_type: StepOutputs.contentTypeOf(text),
    step_results: results,
    step_executor_runs: inner.runs
  })
  const output = WorkflowOutputs.nested(inner, results, step)
  const leftOut = StepOutputs.leftOutIn({ execution, node, place })
  return {
    output: StepOutputs.done({ execution, node, place }, {
      content: results.length === 0 && leftOut !== null ? leftOut : WorkflowOutputs.valueOf(results),
      error: leftOut,
      executor_type: "workflow",
      executor_name: workflow.name,
      step_run_id: run_id,
      metrics: inner.runs.length === 0 ? null : WorkflowRun.usageOf({ step_executor_runs: inner.runs }),
      success: leftOut === null && results.every(({ success }: StepOutput.StepOutput) => success)
    }),
    runs: [output]
  }
})

export const perform = Effect.fnUntraced(function*(
  call: StepCall,
  workflow: AnyWorkflow
): Effect.fn.Return<StepCompletion, StepFailure | Interruption> {
  const { before, execution, place } = call
  const input = yield* checkedInput(workflow, before, execution)
  const isFresh = !execution.journal.hasStarted(place.key)
  const run_id = yield* runId(execution, place)
  const { attempt, request: { session_id, user_id } } = execution
  return yield* RunSpan.nested(run(call, { input, isFresh, run_id, workflow }), {
    ...WorkflowSpan.of(workflow),
    run_id,
    session_id,
    user_id,
    attempt,
    input
  }, (error) => error instanceof StepFailure || error instanceof Failed)
})
