// Agents and their runs.
import { Api, CurrentPrincipal, Errors } from "@svc/api"
import { AnyRun, Checkpoint, Principal, Run, Session } from "@svc/domain"
import {
  type Agent,
  AgentContinuation,
  AgentDetail,
  type AgentFactory,
  AgentProgress,
  AgentRegistry,
  ApprovalStore,
  Databases,
  FactoryDetail,
  FactoryInput,
  FactoryResolver,
  IdempotencyStore,
  isFactory,
  ModelCatalog,
  NewId,
  RunEngine
} from "@svc/runtime"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Caller from "../authorization/Caller.ts"
import * as ContinueForm from "../multipart/ContinueForm.ts"
import * as FormBody from "../multipart/FormBody.ts"
import * as RunForm from "../multipart/RunForm.ts"
import { ServerSettings } from "../Settings.ts"
import * as AgentCommands from "./AgentCommands.ts"
import * as AgentContinuing from "./AgentContinuing.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import * as Resolution from "./Resolution.ts"
import * as RunContinue from "./RunContinue.ts"
import * as RunStart from "./RunStart.ts"

const notFound = () => Errors.notFound("Agent not found")
const snapshotOf = ComponentRuns.snapshotOf<Run.Output, Checkpoint.Snapshot>(Checkpoint.snapshot)

interface RunPath {
  readonly agent_id: Agent.Agent["id"]
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

const saidOf = Effect.fnUntraced(function*(form: ContinueForm.ContinueForm) {
  const tools = yield* ContinueForm.toolsOf(form)
  const said: RunContinue.Said = {
    isSaid: tools !== undefined,
    runsIn: () => [],
    plan: (run, ruling) =>
      Effect.mapError(AgentContinuation.plan(run, { tools, input: form.input }, ruling), AgentContinuing.refused)
  }
  return said
})

export const Agents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const settings = yield* ServerSettings
    const registry = yield* AgentRegistry
    const databases = yield* Databases
    const models = yield* ModelCatalog
    const engine = yield* RunEngine
    const idempotency = yield* IdempotencyStore
    const approvals = yield* ApprovalStore
    const resolution = { resolver: yield* FactoryResolver, largestInput: settings.limits.jsonBody }
    const [database] = databases.all

    const detail = (agent: Agent.Agent | AgentFactory.AgentFactory) => {
      if (isFactory(agent)) return FactoryDetail.make(agent, database.id)
      return AgentDetail.toDetail(agent, {
        databaseId: database.id,
        sessionTable: database.tables.sessions,
        model: models.describe(agent.model ?? models.defaultModel),
        reasoningModel: agent.reasoningModel === undefined ? undefined : models.describe(agent.reasoningModel)
      })
    }
    const details = new Map(registry.registered.map((agent) => [agent.id, detail(agent)]))

    const runs = ComponentRuns.make({ kind: "agent", engine, database })

    const runOf = Effect.fnUntraced(function*({ agent_id, ...named }: RunPath) {
      const agent = yield* Effect.mapError(registry.find(agent_id), notFound)
      const run = yield* runs.get(agent_id, named)
      if (!AnyRun.isAgent(run)) return yield* ComponentRuns.runNotFound()
      if (isFactory(agent) || agent.checkpoint === "runs" || !Run.isUnderWay(run.status)) return run
      const resting = yield* runs.rest(agent_id, named)
      const messages = yield* AgentProgress.messagesOf(agent, resting)
      return messages.length === 0 ? run : { ...run, messages }
    })

    return handlers.handleAll({
      // Whoever may see some agents and not others gets those.
      list: () =>
        CurrentPrincipal.useSync((principal) => {
          const visible = Principal.visible(principal, "agents")
          return [...details.values()].filter(({ id }) => visible === "all" || visible.has(id))
        }),
      get: ({ params }) => {
        const found = details.get(params.agent_id)
        return found === undefined ? Effect.fail(notFound()) : Effect.succeed(found)
      },
      listRuns: Effect.fn("Agents.listRuns")(function*({ params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const found = yield* runs.list(params.agent_id, query.session_id, query.status)
        return found.filter(AnyRun.isAgent).map(Run.toRecord)
      }),
      getRun: Effect.fn("Agents.getRun")(({ params, query }) => runOf({ ...params, ...query })),
      listCheckpoints: Effect.fn("Agents.listCheckpoints")(({ params, query }) =>
        Effect.map(runOf({ ...params, ...query }), Checkpoint.list)
      ),
      getCheckpoint: Effect.fn("Agents.getCheckpoint")(({ params, query }) =>
        Effect.flatMap(runOf({ ...params, ...query }), (run) => snapshotOf(run, params.message_index))
      ),
      forkSession: Effect.fn("Agents.forkSession")(function*({ params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        return yield* runs.fork(params.agent_id, params.session_id, query.user_id)
      }),
      cancelRun: Effect.fn("Agents.cancelRun")(function*({ params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        return yield* runs.cancel(params.agent_id, params.run_id, query.session_id)
      })
    }).handleRaw(
      "listEvents",
      Effect.fn("Agents.listEvents")(function*({ headers, params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        // What a browser sends when it connects again counts for more than what its first request said.
        const after = headers["last-event-id"] ?? query.last_event_index ?? -1
        return yield* runs.events(params.agent_id, { run_id: params.run_id, session_id: query.session_id }, after)
      })
    ).handleRaw(
      "resumeRun",
      Effect.fn("Agents.resumeRun")(function*({ params, request }) {
        const form = yield* ComponentRuns.resumeForm(request, settings.limits.formBody)
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        return yield* runs.resume(params.agent_id, params.run_id, form)
      })
    ).handleRaw(
      "continueRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const registered = yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const services = { engine, approvals, idempotency, runs: database.runs }
        return yield* RunContinue.respond(services, {
          component: { kind: "agent", id: registered.id },
          run_id: params.run_id,
          body,
          request,
          read: saidOf,
          speaker: (run) =>
            Effect.map(Resolution.resolveFor(resolution, registered, run, request), (agent) => ({ agent }))
        })
      })
    ).handleRaw(
      "createRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* RunForm.decode(body)
        const registered = yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const newId = yield* NewId
        const identity = yield* Caller.runIdentity(form)
        // A factory sees the ids that were given, and not those that are made here.
        const asked = { ...identity, request, input: FactoryInput.text(form.factory_input) }
        return yield* RunStart.respond({ engine, idempotency }, {
          request,
          body,
          form,
          component: { kind: "agent", id: registered.id },
          subject: {
            run_id: Run.Id.make(form.run_id ?? newId()),
            session_id: Session.Id.make(identity.session_id ?? newId())
          },
          commandOf: (subject) =>
            Effect.flatMap(
              Resolution.resolve(resolution, registered, asked),
              (resolved) => AgentCommands.commandOf(resolved, form, identity, subject)
            )
        })
      })
    )
  })
)
