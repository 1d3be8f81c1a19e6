// The outputs of a workflow run.
import * as Json from "@svc/domain/Json"
import type * as Run from "@svc/domain/Run"
import * as StepOutput from "@svc/domain/StepOutput"
import type * as WorkflowRun from "@svc/domain/WorkflowRun"
import * as StepOutputs from "./execute/StepOutputs.ts"
import type { WorkflowExecution } from "./execute/WorkflowExecution.ts"

export type Results = ReadonlyArray<StepOutput.StepOutput>

export const nothing = "No steps executed"

/** The content of the last step. */
export const contentOf = (results: Results): Json.Value => {
  const last = results.at(-1)
  return last === undefined ? nothing : StepOutput.deepest(last).content
}

const everyStep = (results: Results): Results => results.flatMap((output) => [output, ...everyStep(output.steps ?? [])])

const media = <K extends "images" | "videos" | "audio" | "files">(results: Results, kind: K) =>
  everyStep(results).flatMap((output) => output[kind] ?? []) as unknown as NonNullable<WorkflowRun.Output[K]>

/** All media of the steps. */
export const mediaOf = (results: Results) => ({
  images: media(results, "images"),
  videos: media(results, "videos"),
  audio: media(results, "audio"),
  files: media(results, "files")
})

/** The metrics of steps with executors, by name. */
export const metricsOf = (results: Results, duration: number): WorkflowRun.Metrics => ({
  steps: Object.fromEntries(
    everyStep(results).flatMap(({ executor_name, executor_type, metrics, step_name }) =>
      metrics === null || executor_type === null || executor_name === null
        ? []
        : [[step_name, { step_name, executor_type, executor_name, metrics }]]
    )
  ),
  duration
})

/** The nested run of a workflow step. */
export const nested = (
  execution: WorkflowExecution,
  results: Results,
  step: string,
  status: Run.Status = "COMPLETED"
): Json.Object => {
  const { request, runs, workflow } = execution
  const content = contentOf(results)
  return {
    run_id: request.run_id satisfies Run.Id,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    session_id: request.session_id,
    workflow_step_id: step,
    input: request.input,
    content,
    content_type: StepOutputs.contentTypeOf(content),
    status,
    step_results: Json.of(results),
    ...(runs.length === 0 ? {} : { step_executor_runs: runs })
  }
}
