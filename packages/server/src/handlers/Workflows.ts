// Workflows and their runs.
import { Api } from "@svc/api"
import * as AnyRun from "@svc/domain/AnyRun"
import type * as Session from "@svc/domain/Session"
import type * as Workflow from "@svc/domain/Workflow"
import * as WorkflowRun from "@svc/domain/WorkflowRun"
import { isFactory } from "@svc/runtime/factory/Factory"
import * as FactoryInput from "@svc/runtime/factory/FactoryInput"
import * as WorkflowDetail from "@svc/runtime/workflow/WorkflowDetail"
import { WorkflowRegistry } from "@svc/runtime/workflow/WorkflowRegistry"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Caller from "../authorization/Caller.ts"
import * as JsonAnswer from "../JsonAnswer.ts"
import { runNotFound } from "../WireErrors.ts"
import * as ComponentHandlers from "./ComponentHandlers.ts"
import { toWire } from "./runErrors.ts"

export const Workflows = HttpApiBuilder.group(
  Api,
  "workflows",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* WorkflowRegistry
    const component = yield* ComponentHandlers.make("workflow")
    const { around, databaseOf, runs, service } = component

    const summaries = registry.registered.map((workflow) => WorkflowDetail.toSummary(workflow, databaseOf(workflow)))
    const show = component.show(
      registry.registered.map((workflow) =>
        isFactory(workflow)
          ? WorkflowDetail.ofFactory(workflow, databaseOf(workflow))
          : WorkflowDetail.toDetail(workflow, { databaseId: databaseOf(workflow), around })
      )
    )

    const authorizeRead = Effect.fnUntraced(
      function*(id: Workflow.Id, session_id: Session.Id, factory_input: string | undefined) {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* service.authorizeRead({
          caller: yield* Caller.current(request),
          component: { kind: "workflow", id },
          session_id,
          factoryInput: FactoryInput.text(factory_input)
        })
      },
      toWire
    )

    return handlers.handleAll({
      list: () => component.visible(summaries),
      get: ({ params }) => show(params.workflow_id),
      listRuns: Effect.fn("Workflows.listRuns")(function*({ params, query }) {
        yield* authorizeRead(params.workflow_id, query.session_id, query.factory_input)
        const found = yield* runs.list(params.workflow_id, query.session_id, query.status)
        return JsonAnswer.of(found.filter(AnyRun.isWorkflow).map(WorkflowRun.toRecord))
      }),
      getRun: Effect.fn("Workflows.getRun")(function*({ params, query }) {
        yield* authorizeRead(params.workflow_id, query.session_id, query.factory_input)
        const run = yield* runs.get(params.workflow_id, { run_id: params.run_id, session_id: query.session_id })
        return AnyRun.isWorkflow(run) ? JsonAnswer.of(run) : yield* runNotFound()
      }),
      cancelRun: ({ params, query }) => runs.cancel(params.workflow_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => runs.events(params.workflow_id, params.run_id, from))
      .handleRaw("resumeRun", ({ params, request }) => runs.resume(params.workflow_id, params.run_id, request))
      .handleRaw("continueRun", ({ params, request }) => runs.continue(params.workflow_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => runs.start(params.workflow_id, request))
  })
)
