// The form that continues a workflow's run: decisions on the paused step. Every value is text.
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"
import { continuing } from "./RunOptionFields.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const WorkflowContinueForm = Schema.Struct({
  session_id: text("The session of the run. Required"),
  requirements: text(
    "A JSON array: the requirements of the paused run, of steps and of errors, each with its decision"
  ),
  step_requirements: text("A JSON array: the run's step_requirements, the waiting ones with their decisions"),
  error_requirements: text(
    "A JSON array: the run's error_requirements with `retry` or `skip` as decision, one of them at least"
  ),
  ...continuing(RunOption.workflowResponse),
  ...continuing(RunOption.disconnect),
  user_id: text("For the factory of the workflow. The run keeps its user"),
  factory_input: text("A JSON object for the factory of the workflow. It is that of the run's start, or left out")
}).annotate({ identifier: "WorkflowContinueForm" })
export type WorkflowContinueForm = typeof WorkflowContinueForm.Type
