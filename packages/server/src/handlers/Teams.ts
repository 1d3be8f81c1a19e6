// Teams and their runs.
import { Api } from "@svc/api"
import { AnyRun, Checkpoint, Run, type Session, TeamRun } from "@svc/domain"
import {
  FactoryDetail,
  isFactory,
  type Team,
  TeamContinuation,
  TeamDetail,
  TeamProgress,
  TeamRegistry
} from "@svc/runtime"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ContinueForm from "../forms/ContinueForm.ts"
import { runNotFound } from "../WireErrors.ts"
import * as ComponentHandlers from "./ComponentHandlers.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import * as RunContinue from "./RunContinue.ts"

const snapshotOf = ComponentRuns.snapshotOf(Checkpoint.teamSnapshot)

interface RunPath {
  readonly team_id: Team.Team["id"]
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

const saidOf = Effect.fnUntraced(function*(form: ContinueForm.ContinueForm) {
  const requirements = yield* ContinueForm.requirementsOf(form)
  const said: RunContinue.Said = {
    isSaid: requirements !== undefined,
    runsIn: TeamContinuation.approvedRuns,
    plan: (run, ruling) => TeamContinuation.plan(run, { requirements, input: form.input }, ruling)
  }
  return said
})

export const Teams = HttpApiBuilder.group(
  Api,
  "teams",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* TeamRegistry
    const component = yield* ComponentHandlers.make({ kind: "team", registry })
    const { around, database, find, runs } = component

    const details = registry.registered.map((team) =>
      isFactory(team) ? FactoryDetail.make(team, database.id) : TeamDetail.toDetail(team, around)
    )
    const show = component.show(details)
    const proceed = RunContinue.make(component, saidOf)

    const runOf = Effect.fnUntraced(function*({ team_id, ...named }: RunPath) {
      const team = yield* find(team_id)
      const run = yield* runs.get(team_id, named)
      if (!AnyRun.isTeam(run)) return yield* runNotFound()
      if (isFactory(team) || team.leader.checkpoint === "runs" || !Run.isUnderWay(run.status)) return run
      const messages = yield* TeamProgress.messagesOf(team, yield* runs.rest(team_id, named))
      return messages.length === 0 ? run : { ...run, messages }
    })

    return handlers.handleAll({
      list: () => component.visible(details),
      get: ({ params }) => show(params.team_id),
      listRuns: Effect.fn("Teams.listRuns")(function*({ params, query }) {
        yield* find(params.team_id)
        const found = yield* runs.list(params.team_id, query.session_id, query.status)
        return found.filter(AnyRun.isTeam).map(TeamRun.toRecord)
      }),
      getRun: Effect.fn("Teams.getRun")(({ params, query }) => runOf({ ...params, ...query })),
      listCheckpoints: Effect.fn("Teams.listCheckpoints")(({ params, query }) =>
        Effect.map(runOf({ ...params, ...query }), Checkpoint.list)
      ),
      getCheckpoint: Effect.fn("Teams.getCheckpoint")(({ params, query }) =>
        Effect.flatMap(runOf({ ...params, ...query }), (run) => snapshotOf(run, params.message_index))
      ),
      forkSession: ({ params, query }) => component.fork(params.team_id, params.session_id, query.user_id),
      cancelRun: ({ params, query }) => component.cancel(params.team_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => component.events(params.team_id, params.run_id, from))
      .handleRaw("resumeRun", ({ params, request }) => component.resume(params.team_id, params.run_id, request))
      .handleRaw("continueRun", ({ params, request }) => proceed(params.team_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => component.start(params.team_id, request))
  })
)
