// Workflows and their runs.
import { Run, RunEvent, Session, Workflow, WorkflowRun } from "@svc/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest, NotFound, PayloadTooLarge, Unavailable } from "./Errors.ts"
import { IntText } from "./IntText.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { requires } from "./RequiredScope.ts"
import { ResumeForm } from "./ResumeForm.ts"
import {
  accepted,
  CancelAccepted,
  factoryErrors,
  formErrors,
  formOf,
  fromEvent,
  idempotent,
  resumeErrors
} from "./RunEndpoints.ts"
import { RunForm } from "./RunForm.ts"
import { WorkflowContinueForm } from "./WorkflowContinueForm.ts"

const workflow = { workflow_id: Workflow.Id }
const workflowRun = { workflow_id: Workflow.Id, run_id: Run.Id }

const factoryInput = Schema.optionalKey(
  Schema.String.annotate({ description: "A JSON object for the factory of the workflow; other workflows have none" })
)

/** A factory is asked before one of its runs is read. */
const readErrors = [...factoryErrors, NotFound, PayloadTooLarge, Unavailable] as const

export class Workflows extends HttpApiGroup.make("workflows")
  .add(
    HttpApiEndpoint.get("list", "/workflows", { success: Schema.Array(Workflow.Summary) })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "get_workflows"),
    HttpApiEndpoint.get("get", "/workflows/:workflow_id", {
      params: workflow,
      query: {
        version: Schema.optionalKey(
          IntText.annotate({ description: "Which version of a stored workflow; registered workflows have one" })
        )
      },
      success: Workflow.Detail,
      error: NotFound
    })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "get_workflow"),
    HttpApiEndpoint.post("createRun", "/workflows/:workflow_id/runs", {
      params: workflow,
      headers: idempotent,
      payload: formOf(RunForm),
      success: [
        WorkflowRun.Output,
        HttpApiSchema.StreamSse({ data: RunEvent.RunEvent }),
        accepted
      ],
      error: formErrors
    })
      .annotateMerge(requires("workflows:run"))
      .annotate(OpenApi.Identifier, "create_workflow_run"),
    HttpApiEndpoint.get("listRuns", "/workflows/:workflow_id/runs", {
      params: workflow,
      query: {
        session_id: Session.Id,
        status: Schema.optionalKey(Schema.String),
        factory_input: factoryInput
      },
      success: Schema.Array(WorkflowRun.Record),
      error: [BadRequest, ...readErrors]
    })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "list_workflow_runs"),
    HttpApiEndpoint.get("getRun", "/workflows/:workflow_id/runs/:run_id", {
      params: workflowRun,
      query: { session_id: Session.Id, factory_input: factoryInput },
      success: WorkflowRun.Output,
      error: readErrors
    })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "get_workflow_run"),
    HttpApiEndpoint.get("listEvents", "/workflows/:workflow_id/runs/:run_id/events", {
      params: workflowRun,
      ...fromEvent,
      success: HttpApiSchema.StreamSse({ data: RunEvent.RunEvent }),
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "get_workflow_run_events"),
    HttpApiEndpoint.post("resumeRun", "/workflows/:workflow_id/runs/:run_id/resume", {
      params: workflowRun,
      payload: formOf(ResumeForm),
      success: HttpApiSchema.StreamSse({ data: Schema.Union([RunEvent.RunEvent, RunEvent.Control]) }),
      error: resumeErrors
    })
      .annotateMerge(requires("workflows:run"))
      .annotate(OpenApi.Identifier, "resume_workflow_run"),
    HttpApiEndpoint.post("continueRun", "/workflows/:workflow_id/runs/:run_id/continue", {
      params: workflowRun,
      headers: idempotent,
      payload: formOf(WorkflowContinueForm),
      success: [WorkflowRun.Output, HttpApiSchema.StreamSse({ data: RunEvent.RunEvent })],
      error: formErrors
    })
      .annotateMerge(requires("workflows:run"))
      .annotate(OpenApi.Identifier, "continue_workflow_run"),
    HttpApiEndpoint.post("cancelRun", "/workflows/:workflow_id/runs/:run_id/cancel", {
      params: workflowRun,
      query: { session_id: Schema.optionalKey(Session.Id) },
      success: CancelAccepted,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("workflows:run"))
      .annotate(OpenApi.Identifier, "cancel_workflow_run")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Workflows", description: "Workflows and their runs" }))
{}
