// Workflows and their runs.
import { Api } from "@svc/api"
import * as AnyRun from "@svc/domain/AnyRun"
import * as Component from "@svc/domain/Component"
import type * as Session from "@svc/domain/Session"
import type * as Workflow from "@svc/domain/Workflow"
import * as FactoryInput from "@svc/runtime/factory/FactoryInput"
import { modules } from "@svc/runtime/modules/ComponentModules"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as RequestCaller from "../authorization/RequestCaller.ts"
import * as JsonResponse from "../wire/JsonResponse.ts"
import { toWire } from "./componentRuns/runErrors.ts"
import * as ComponentDefinitions from "./components/ComponentDefinitions.ts"
import * as ComponentHandlers from "./components/ComponentHandlers.ts"
import { group } from "./group.ts"

export const Workflows = group(
  Api,
  "workflows",
  Effect.fnUntraced(function*(handlers) {
    const { detail, listRuns, run, runs, service, summaries } = yield* ComponentHandlers.make(
      modules.workflow,
      AnyRun.kinds.workflow
    )

    const authorizeRead = Effect.fnUntraced(
      function*(id: Workflow.Id, session_id: Session.Id, factory_input: string | undefined) {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* service.authorizeRead({
          caller: yield* RequestCaller.current(request),
          component: { kind: "workflow", id },
          session_id,
          factoryInput: FactoryInput.text(factory_input)
        })
      },
      toWire
    )

    const definitions = yield* ComponentDefinitions.make("workflow")

    return handlers.handleAll({
      create: ({ payload }) => definitions.create(payload),
      update: ({ params, payload }) => definitions.update(Component.Id.make(params.workflow_id), payload),
      remove: ({ params }) => definitions.remove(Component.Id.make(params.workflow_id)),
      list: () => summaries,
      get: ({ params, query }) => detail(params.workflow_id, query.version),
      listRuns: Effect.fn("Workflows.listRuns")(function*({ params, query }) {
        yield* authorizeRead(params.workflow_id, query.session_id, query.factory_input)
        return yield* listRuns(params.workflow_id, query)
      }),
      getRun: Effect.fn("Workflows.getRun")(function*({ params, query }) {
        yield* authorizeRead(params.workflow_id, query.session_id, query.factory_input)
        return JsonResponse.of(yield* run(params.workflow_id, { ...params, ...query }))
      }),
      cancelRun: ({ params, query }) => runs.cancel(params.workflow_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => runs.events(params.workflow_id, params.run_id, from))
      .handleRaw("resumeRun", ({ params, request }) => runs.resume(params.workflow_id, params.run_id, request))
      .handleRaw("continueRun", ({ params, request }) => runs.continue(params.workflow_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => runs.start(params.workflow_id, request))
  })
)
