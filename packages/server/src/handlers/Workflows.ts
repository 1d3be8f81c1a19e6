// Workflows and their runs.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import { modules } from "@svc-runtime/agents/modules/ComponentModules"
import { listedAtOnce } from "@svc-runtime/agents/runService/VisibleRuns"
import { Errors } from "@svc-runtime/api"
import { Workflows as Endpoints } from "@svc-runtime/api/Workflows"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Component from "@svc-runtime/domain/Component"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Workflow from "@svc-runtime/domain/Workflow"
import { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as ComponentDefinitions from "./components/ComponentDefinitions.ts"
import * as ComponentHandlers from "./components/ComponentHandlers.ts"

export const Workflows = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const { detail, listRuns, run, runs, service, summaries } = yield* ComponentHandlers.make(
      modules.workflow,
      AnyRun.kinds.workflow
    )

    const authorizeRead = Effect.fnUntraced(
      function*(id: Workflow.Id, session_id: Session.Id | undefined, factory_input: string | undefined) {
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

    const sessionOf = Effect.fnUntraced(
      function*({ run_id, workflow_id: id }: { readonly run_id: Run.Id; readonly workflow_id: Workflow.Id }) {
        const caller = yield* RequestCaller.current(null)
        const { runs: [found] } = yield* service.search({
          caller,
          component: { kind: "workflow", id },
          run_id,
          limit: 1
        })
        return found?.session_id ?? (yield* new RunNotFound({ run_id }))
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
        const { limit = 0, session_id } = query
        if (session_id === undefined && limit > listedAtOnce) {
          const detail = `Input should be at most ${listedAtOnce} without a session_id`
          return yield* Errors.invalidValue(["query", "limit"], detail)
        }
        yield* authorizeRead(params.workflow_id, session_id, query.factory_input)
        return yield* listRuns(params.workflow_id, query)
      }),
      getRun: Effect.fn("Workflows.getRun")(function*({ params, query }) {
        yield* authorizeRead(params.workflow_id, query.session_id, query.factory_input)
        const session_id = query.session_id ?? (yield* sessionOf(params))
        return JsonResponse.of(yield* run(params.workflow_id, { ...params, session_id }))
      }),
      cancelRun: ({ params, query }) => runs.cancel(params.workflow_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => runs.events(params.workflow_id, params.run_id, from))
      .handleRaw(
        "resumeRun",
        ({ headers, params, request }) => runs.resume(params.workflow_id, params.run_id, headers, request)
      )
      .handleRaw("continueRun", ({ params, request }) => runs.continue(params.workflow_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => runs.start(params.workflow_id, request))
  })
)
