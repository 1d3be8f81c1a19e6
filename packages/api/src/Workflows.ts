// Workflows and their runs.
import * as Run from "@svc-runtime/domain/Run"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import * as Workflow from "@svc-runtime/domain/Workflow"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { definitionEndpoints } from "./DefinitionEndpoints.ts"
import { BadRequest, Conflict, Invalid, NotFound, PayloadTooLarge, Unavailable } from "./Errors.ts"
import { WorkflowContinueForm } from "./forms/WorkflowContinueForm.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { IntText } from "./query/IntText.ts"
import { requires } from "./RequiredScope.ts"
import { factoryErrors, formErrors, formOf, idempotent, listQuery, runEndpoints } from "./RunEndpoints.ts"

const workflow = { workflow_id: Workflow.Id }
const workflowRun = { workflow_id: Workflow.Id, run_id: Run.Id }

const runs = runEndpoints("workflow", {
  id: Workflow.Id,
  output: WorkflowRun.Output,
  event: RunEvent.RunEvent
})

const factoryInput = Schema.optionalKey(
  Schema.String.annotate({ description: "A JSON object for the factory of the workflow; other workflows have none" })
)

/** Reading a run calls the factory of its workflow first. */
const readErrors = [...factoryErrors, NotFound, PayloadTooLarge, Unavailable] as const
const definitions = definitionEndpoints("workflow", Workflow.Id)

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
      error: [Conflict, NotFound]
    })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "get_workflow"),
    definitions.create,
    definitions.update,
    definitions.remove,
    runs.createRun,
    HttpApiEndpoint.get("listRuns", "/workflows/:workflow_id/runs", {
      params: workflow,
      query: {
        ...listQuery,
        session_id: Schema.optionalKey(
          Session.Id.annotate({
            description: "Left out: the runs of all sessions, without their events. " +
              "The newest 20 without `limit`, which is at most 100"
          })
        ),
        factory_input: factoryInput
      },
      success: Schema.Array(WorkflowRun.Record),
      error: [BadRequest, Invalid, ...readErrors]
    })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "list_workflow_runs"),
    HttpApiEndpoint.get("getRun", "/workflows/:workflow_id/runs/:run_id", {
      params: workflowRun,
      query: { session_id: Schema.optionalKey(Session.Id), factory_input: factoryInput },
      success: WorkflowRun.Output,
      error: readErrors
    })
      .annotateMerge(requires("workflows:read"))
      .annotate(OpenApi.Identifier, "get_workflow_run"),
    runs.listEvents,
    runs.resumeRun,
    HttpApiEndpoint.post("continueRun", "/workflows/:workflow_id/runs/:run_id/continue", {
      params: workflowRun,
      headers: idempotent,
      payload: formOf(WorkflowContinueForm),
      success: [WorkflowRun.Output, HttpApiSchema.StreamSse({ data: RunEvent.RunEvent })],
      error: formErrors
    })
      .annotateMerge(requires("workflows:run"))
      .annotate(OpenApi.Identifier, "continue_workflow_run"),
    runs.cancelRun
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Workflows", description: "Workflows and their runs" }))
{}
