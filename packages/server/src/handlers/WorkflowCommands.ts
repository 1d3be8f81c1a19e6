// From a form or a message to what a workflow is asked.
import type { AnyWorkflow, Resolved, WorkflowCommand } from "@svc/runtime"
import { Effect } from "effect"
import type * as Caller from "../authorization/Caller.ts"
import type { RunForm } from "../forms/RunForm.ts"
import { inputOf } from "./inputOf.ts"

/** What of a form says what is asked. */
export type WorkflowStart = Pick<RunForm, "message" | "media" | "stream" | "background" | "ifBusy" | "metadata">

export const commandOf = Effect.fnUntraced(function*(
  { component: workflow, ...made }: Resolved<AnyWorkflow>,
  form: WorkflowStart,
  { dependencies, isolated, session_state, user_id }: Caller.RunIdentity,
  subject: Pick<WorkflowCommand, "run_id" | "session_id">
) {
  const command: WorkflowCommand = {
    ...made,
    workflow,
    ...subject,
    user_id,
    isolated,
    input: { input_content: yield* inputOf("workflow", workflow.inputSchema, form.message), ...form.media },
    stream: form.stream,
    background: form.background,
    ifBusy: form.ifBusy,
    session_state,
    dependencies,
    metadata: form.metadata
  }
  return command
})
