// Constructors of step outputs.
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type { StepAt } from "./WorkflowExecution.ts"

/** `str` for text, else the name of the JSON type. */
export const contentTypeOf = (content: Json.Value): string => {
  if (typeof content !== "object" || content === null) return "str"
  return Array.isArray(content) ? "list" : "dict"
}

/** The output of a successful step with this content. */
export const done = (
  { execution, node, place }: StepAt,
  fields: Partial<StepOutput.StepOutput> & Pick<StepOutput.StepOutput, "content">
): StepOutput.StepOutput => ({
  step_name: node.name,
  step_id: execution.idOf(place.path),
  step_type: node.type,
  executor_type: null,
  executor_name: null,
  step_run_id: null,
  images: null,
  videos: null,
  audio: null,
  files: null,
  metrics: null,
  success: true,
  error: null,
  stop: false,
  is_paused: false,
  ...fields
})

/** The output of a container. */
export const container = (
  { execution, node, place }: StepAt,
  content: Json.Value,
  steps: ReadonlyArray<StepOutput.StepOutput>
): StepOutput.StepOutput =>
  done({ execution, node, place }, {
    content,
    success: steps.every(({ success }) => success),
    stop: steps.some(({ stop }) => stop),
    ...(steps.length === 0 ? {} : { steps })
  })
