// Teams and their runs.
import { Teams as Endpoints } from "@svc-runtime/api/Teams"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Checkpoint from "@svc-runtime/domain/Checkpoint"
import * as Component from "@svc-runtime/domain/Component"

import { modules } from "@svc-runtime/agents/modules/ComponentModules"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { Effect } from "effect"
import * as ComponentRuns from "./componentRuns/ComponentRuns.ts"
import * as ComponentDefinitions from "./components/ComponentDefinitions.ts"
import * as ComponentHandlers from "./components/ComponentHandlers.ts"

const snapshotOf = ComponentRuns.snapshotOf(Checkpoint.teamSnapshot)

export const Teams = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const { detail, details, listRuns, run, runs } = yield* ComponentHandlers.make(modules.team, AnyRun.kinds.team)

    const definitions = yield* ComponentDefinitions.make("team")

    return handlers.handleAll({
      create: ({ payload }) => definitions.create(payload),
      update: ({ params, payload }) => definitions.update(Component.Id.make(params.team_id), payload),
      remove: ({ params }) => definitions.remove(Component.Id.make(params.team_id)),
      list: () => details,
      get: ({ params }) => detail(params.team_id),
      listRuns: ({ params, query }) => listRuns(params.team_id, query),
      getRun: ({ params, query }) => Effect.map(run(params.team_id, { ...params, ...query }), JsonResponse.of),
      listCheckpoints: ({ params, query }) => Effect.map(run(params.team_id, { ...params, ...query }), Checkpoint.list),
      getCheckpoint: ({ params, query }) =>
        Effect.flatMap(run(params.team_id, { ...params, ...query }), (run) => snapshotOf(run, params.message_index))
          .pipe(
            Effect.map(JsonResponse.of)
          ),
      forkSession: ({ params, query }) => runs.fork(params.team_id, params.session_id, query.user_id),
      cancelRun: ({ params, query }) => runs.cancel(params.team_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => runs.events(params.team_id, params.run_id, from))
      .handleRaw(
        "resumeRun",
        ({ headers, params, request }) => runs.resume(params.team_id, params.run_id, headers, request)
      )
      .handleRaw("continueRun", ({ params, request }) => runs.continue(params.team_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => runs.start(params.team_id, request))
  })
)
