// The attributes of a workflow on the spans of its runs.
import type * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import type { AnyWorkflow } from "./define/Node.ts"

export const of = (
  { description, id, name, steps }: AnyWorkflow
): Pick<RunSpan.Subject, "component" | "attributes"> => ({
  component: { kind: "workflow", id, name },
  attributes: {
    "svc.workflow.description": description,
    "svc.workflow.steps_count": steps.length,
    "svc.workflow.steps": steps.map((step) => step.name),
    "svc.workflow.step_types": steps.map((step) => step.type)
  }
})
