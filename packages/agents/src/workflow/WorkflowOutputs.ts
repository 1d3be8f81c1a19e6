// The outputs of a workflow run.
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import * as StepOutput from "@svc-runtime/domain/StepOutput"
import * as Usage from "@svc-runtime/domain/Usage"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as StepIds from "./define/StepIds.ts"
import * as StepOutputs from "./execute/StepOutputs.ts"
import type { WorkflowExecution } from "./execute/WorkflowExecution.ts"

export type Results = ReadonlyArray<StepOutput.StepOutput>

export const nothing = "No steps executed"

/** The content of the last step. */
export const contentOf = (results: Results): Json.Value => {
  const last = results.at(-1)
  return last === undefined ? nothing : StepOutput.deepest(last).content
}

/** The same as the next step gets it. */
export const valueOf = (results: Results): Json.Value => {
  const last = results.at(-1)
  return last === undefined ? nothing : StepOutput.valueOf(last)
}

const everyStep = (results: Results): Results => results.flatMap((output) => [output, ...everyStep(output.steps ?? [])])

type Medium = "images" | "videos" | "audio" | "files"

const media = <K extends Medium>(results: Results, kind: K) => {
  const ofStep = (output: { readonly [Kind in K]: StepOutput.StepOutput[K] }) => output[kind] ?? []
  return everyStep(results).flatMap(ofStep)
}

/** All media of the steps. */
export const mediaOf = (results: Results) => ({
  images: media(results, "images"),
  videos: media(results, "videos"),
  audio: media(results, "audio"),
  files: media(results, "files")
})

const executorTypes = ["agent", "team", "workflow"] as const

/** Those of the run itself. A nested workflow has those of its executors. */
const metricsIn = (run: Json.Object): Usage.RunMetrics =>
  "workflow_id" in run
    ? WorkflowRun.usageOf(run as Pick<WorkflowRun.Output, "step_executor_runs">)
    : (run["metrics"] ?? {}) as Usage.RunMetrics

/** Of several runs of a step. */
const sumOf = (before: Usage.RunMetrics | undefined, next: Usage.RunMetrics): Usage.RunMetrics => {
  if (before === undefined) return next
  const { duration = 0, time_to_first_token } = before
  const all = duration + (next.duration ?? 0)
  return {
    ...Usage.addToSession(before, next),
    ...(time_to_first_token === undefined ? {} : { time_to_first_token }),
    ...(all === 0 ? {} : { duration: all })
  }
}

/** The metrics of steps with executors, by name: of all attempts and iterations. */
export const metricsOf = (
  { request: { run_id }, workflow }: WorkflowExecution,
  runs: ReadonlyArray<Json.Object>,
  duration: number
): WorkflowRun.Metrics => {
  const nameOf = StepIds.names(workflow)
  const steps = new Map<string, WorkflowRun.StepMetrics>()
  for (const run of runs) {
    // those of nested workflows name their own
    const isOwn = (run["parent_run_id"] ?? run_id) === run_id
    const step_name = isOwn ? nameOf(String(run["workflow_step_id"])) : undefined
    const executor_type = executorTypes.find((type) => `${type}_id` in run)
    if (step_name === undefined || executor_type === undefined) continue
    const executor_name = String(run[`${executor_type}_name`] ?? run[`${executor_type}_id`])
    const metrics = sumOf(steps.get(step_name)?.metrics, metricsIn(run))
    if (Object.keys(metrics).length > 0) steps.set(step_name, { step_name, executor_type, executor_name, metrics })
  }
  return { steps: Object.fromEntries(steps), duration }
}

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
