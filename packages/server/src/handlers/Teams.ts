// Teams and their runs.
import { Api, CurrentPrincipal, Errors } from "@svc/api"
import { AnyRun, Checkpoint, Principal, Run, Session, TeamRun } from "@svc/domain"
import {
  type Agent,
  ApprovalStore,
  Databases,
  FactoryDetail,
  FactoryInput,
  FactoryResolver,
  IdempotencyStore,
  isFactory,
  ModelCatalog,
  NewId,
  RunEngine,
  type Team,
  TeamContinuation,
  TeamDetail,
  type TeamFactory,
  TeamProgress,
  TeamRegistry
} from "@svc/runtime"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Caller from "../authorization/Caller.ts"
import * as ContinueForm from "../multipart/ContinueForm.ts"
import * as FormBody from "../multipart/FormBody.ts"
import * as RunForm from "../multipart/RunForm.ts"
import { ServerSettings } from "../Settings.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import * as Resolution from "./Resolution.ts"
import * as RunContinue from "./RunContinue.ts"
import * as RunStart from "./RunStart.ts"
import * as TeamCommands from "./TeamCommands.ts"

const notFound = () => Errors.notFound("Team not found")
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
    plan: (run, ruling) =>
      Effect.mapError(
        TeamContinuation.plan(run, { requirements, input: form.input }, ruling),
        ({ message }) => Errors.conflict(message)
      )
  }
  return said
})

export const Teams = HttpApiBuilder.group(
  Api,
  "teams",
  Effect.fnUntraced(function*(handlers) {
    const settings = yield* ServerSettings
    const registry = yield* TeamRegistry
    const databases = yield* Databases
    const models = yield* ModelCatalog
    const engine = yield* RunEngine
    const idempotency = yield* IdempotencyStore
    const approvals = yield* ApprovalStore
    const resolution = { resolver: yield* FactoryResolver, largestInput: settings.limits.jsonBody }
    const [database] = databases.all

    const around = ({ model, reasoningModel }: Agent.Agent) => ({
      databaseId: database.id,
      sessionTable: database.tables.sessions,
      model: models.describe(model ?? models.defaultModel),
      reasoningModel: reasoningModel === undefined ? undefined : models.describe(reasoningModel)
    })
    const detail = (team: Team.Team | TeamFactory.TeamFactory) =>
      isFactory(team) ? FactoryDetail.make(team, database.id) : TeamDetail.toDetail(team, around)
    const details = new Map(registry.registered.map((team) => [team.id, detail(team)]))
    const runs = ComponentRuns.make({ kind: "team", engine, database })
    const find = (id: Team.Team["id"]) => Effect.mapError(registry.find(id), notFound)

    const runOf = Effect.fnUntraced(function*({ team_id, ...named }: RunPath) {
      const team = yield* find(team_id)
      const run = yield* runs.get(team_id, named)
      if (!AnyRun.isTeam(run)) return yield* ComponentRuns.runNotFound()
      if (isFactory(team) || team.leader.checkpoint === "runs" || !Run.isUnderWay(run.status)) return run
      const messages = yield* TeamProgress.messagesOf(team, yield* runs.rest(team_id, named))
      return messages.length === 0 ? run : { ...run, messages }
    })

    return handlers.handleAll({
      // Whoever may see some teams and not others gets those.
      list: () =>
        CurrentPrincipal.useSync((principal) => {
          const visible = Principal.visible(principal, "teams")
          return [...details.values()].filter(({ id }) => visible === "all" || visible.has(id))
        }),
      get: ({ params }) => {
        const found = details.get(params.team_id)
        return found === undefined ? Effect.fail(notFound()) : Effect.succeed(found)
      },
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
      forkSession: Effect.fn("Teams.forkSession")(function*({ params, query }) {
        yield* find(params.team_id)
        return yield* runs.fork(params.team_id, params.session_id, query.user_id)
      }),
      cancelRun: Effect.fn("Teams.cancelRun")(function*({ params, query }) {
        yield* find(params.team_id)
        return yield* runs.cancel(params.team_id, params.run_id, query.session_id)
      })
    }).handleRaw(
      "listEvents",
      Effect.fn("Teams.listEvents")(function*({ headers, params, query }) {
        yield* find(params.team_id)
        // What a browser sends when it connects again counts for more than what its first request said.
        const after = headers["last-event-id"] ?? query.last_event_index ?? -1
        return yield* runs.events(params.team_id, { run_id: params.run_id, session_id: query.session_id }, after)
      })
    ).handleRaw(
      "resumeRun",
      Effect.fn("Teams.resumeRun")(function*({ params, request }) {
        const form = yield* ComponentRuns.resumeForm(request, settings.limits.formBody)
        yield* find(params.team_id)
        return yield* runs.resume(params.team_id, params.run_id, form)
      })
    ).handleRaw(
      "continueRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const registered = yield* find(params.team_id)
        const services = { engine, approvals, idempotency, runs: database.runs }
        return yield* RunContinue.respond(services, {
          component: { kind: "team", id: registered.id },
          run_id: params.run_id,
          body,
          request,
          read: saidOf,
          speaker: (run) =>
            Effect.map(Resolution.resolveFor(resolution, registered, run, request), (team) => ({ team }))
        })
      })
    ).handleRaw(
      "createRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* RunForm.decode(body)
        const registered = yield* find(params.team_id)
        const newId = yield* NewId
        const identity = yield* Caller.runIdentity(form)
        // A factory sees the ids that were given, and not those that are made here.
        const asked = { ...identity, request, input: FactoryInput.text(form.factory_input) }
        return yield* RunStart.respond({ engine, idempotency }, {
          request,
          body,
          form,
          component: { kind: "team", id: registered.id },
          subject: {
            run_id: Run.Id.make(form.run_id ?? newId()),
            session_id: Session.Id.make(identity.session_id ?? newId())
          },
          commandOf: (subject) =>
            Effect.flatMap(
              Resolution.resolve(resolution, registered, asked),
              (resolved) => TeamCommands.commandOf(resolved, form, identity, subject)
            )
        })
      })
    )
  })
)
