// Agents and their runs.
import { modules } from "@svc-runtime/agents/modules/ComponentModules"
import { Agents as Endpoints } from "@svc-runtime/api/Agents"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Checkpoint from "@svc-runtime/domain/Checkpoint"
import * as Component from "@svc-runtime/domain/Component"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { Effect } from "effect"
import * as ComponentRuns from "./componentRuns/ComponentRuns.ts"
import * as ComponentDefinitions from "./components/ComponentDefinitions.ts"
import * as ComponentHandlers from "./components/ComponentHandlers.ts"

const snapshotOf = ComponentRuns.snapshotOf(Checkpoint.agentSnapshot)

export const Agents = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const { detail, details, listRuns, run, runs } = yield* ComponentHandlers.make(modules.agent, AnyRun.kinds.agent)

    const definitions = yield* ComponentDefinitions.make("agent")

    return handlers.handleAll({
      create: ({ payload }) => definitions.create(payload),
      update: ({ params, payload }) => definitions.update(Component.Id.make(params.agent_id), payload),
      remove: ({ params }) => definitions.remove(Component.Id.make(params.agent_id)),
      list: () => details,
      get: ({ params }) => detail(params.agent_id),
      listRuns: ({ params, query }) => listRuns(params.agent_id, query),
      getRun: ({ params, query }) => Effect.map(run(params.agent_id, { ...params, ...query }), JsonResponse.of),
      listCheckpoints: ({ params, query }) =>
        Effect.map(run(params.agent_id, { ...params, ...query }), Checkpoint.list),
      getCheckpoint: ({ params, query }) =>
        Effect.flatMap(run(params.agent_id, { ...params, ...query }), (run) => snapshotOf(run, params.message_index))
          .pipe(
            Effect.map(JsonResponse.of)
          ),
      forkSession: ({ params, query }) => runs.fork(params.agent_id, params.session_id, query.user_id),
      cancelRun: ({ params, query }) => runs.cancel(params.agent_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => runs.events(params.agent_id, params.run_id, from))
      .handleRaw(
        "resumeRun",
        ({ headers, params, request }) => runs.resume(params.agent_id, params.run_id, headers, request)
      )
      .handleRaw("continueRun", ({ params, request }) => runs.continue(params.agent_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => runs.start(params.agent_id, request))
  })
)
