// Teams and their runs.
import { Api } from "@svc/api"
import * as AnyRun from "@svc/domain/AnyRun"
import * as Checkpoint from "@svc/domain/Checkpoint"
import * as TeamRun from "@svc/domain/TeamRun"
import { isFactory } from "@svc/runtime/factory/Factory"
import * as FactoryDetail from "@svc/runtime/factory/FactoryDetail"
import type * as Team from "@svc/runtime/team/Team"
import * as TeamDetail from "@svc/runtime/team/TeamDetail"
import { TeamRegistry } from "@svc/runtime/team/TeamRegistry"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as JsonAnswer from "../JsonAnswer.ts"
import { runNotFound } from "../WireErrors.ts"
import * as ComponentHandlers from "./ComponentHandlers.ts"
import * as ComponentRuns from "./ComponentRuns.ts"

const snapshotOf = ComponentRuns.snapshotOf(Checkpoint.teamSnapshot)

interface RunPath extends ComponentRuns.RunPath {
  readonly team_id: Team.Team["id"]
}

export const Teams = HttpApiBuilder.group(
  Api,
  "teams",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* TeamRegistry
    const component = yield* ComponentHandlers.make("team")
    const { around, databaseOf, runs } = component

    const details = registry.registered.map((team) =>
      isFactory(team) ? FactoryDetail.make(team, databaseOf(team)) : TeamDetail.toDetail(team, around)
    )
    const show = component.show(details)

    const runOf = Effect.fnUntraced(function*({ team_id, run_id, session_id }: RunPath) {
      const run = yield* runs.get(team_id, { run_id, session_id })
      return AnyRun.isTeam(run) ? run : yield* runNotFound()
    })

    return handlers.handleAll({
      list: () => component.visible(details),
      get: ({ params }) => show(params.team_id),
      listRuns: Effect.fn("Teams.listRuns")(function*({ params, query }) {
        const found = yield* runs.list(params.team_id, query.session_id, query.status)
        return JsonAnswer.of(found.filter(AnyRun.isTeam).map(TeamRun.toRecord))
      }),
      getRun: Effect.fn("Teams.getRun")(({ params, query }) =>
        Effect.map(runOf({ ...params, ...query }), JsonAnswer.of)
      ),
      listCheckpoints: Effect.fn("Teams.listCheckpoints")(({ params, query }) =>
        Effect.map(runOf({ ...params, ...query }), Checkpoint.list)
      ),
      getCheckpoint: Effect.fn("Teams.getCheckpoint")(({ params, query }) =>
        Effect.flatMap(runOf({ ...params, ...query }), (run) => snapshotOf(run, params.message_index)).pipe(
          Effect.map(JsonAnswer.of)
        )
      ),
      forkSession: ({ params, query }) => runs.fork(params.team_id, params.session_id, query.user_id),
      cancelRun: ({ params, query }) => runs.cancel(params.team_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => runs.events(params.team_id, params.run_id, from))
      .handleRaw("resumeRun", ({ params, request }) => runs.resume(params.team_id, params.run_id, request))
      .handleRaw("continueRun", ({ params, request }) => runs.continue(params.team_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => runs.start(params.team_id, request))
  })
)
