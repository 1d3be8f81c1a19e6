// Workflows and their runs.
import { Api, CurrentPrincipal, Errors } from "@svc/api"
import { AnyRun, Principal, Run, Session, WorkflowRun } from "@svc/domain"
import {
  type Agent,
  AgentDetail,
  Databases,
  IdempotencyStore,
  ModelCatalog,
  NewId,
  RunEngine,
  WorkflowDetail,
  WorkflowRegistry
} from "@svc/runtime"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Caller from "../authorization/Caller.ts"
import * as FormBody from "../multipart/FormBody.ts"
import * as RunForm from "../multipart/RunForm.ts"
import { ServerSettings } from "../Settings.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import * as RunStart from "./RunStart.ts"
import * as WorkflowCommands from "./WorkflowCommands.ts"
import * as WorkflowRunContinue from "./WorkflowRunContinue.ts"

const notFound = () => Errors.notFound("Workflow not found")

export const Workflows = HttpApiBuilder.group(
  Api,
  "workflows",
  Effect.fnUntraced(function*(handlers) {
    const settings = yield* ServerSettings
    const registry = yield* WorkflowRegistry
    const databases = yield* Databases
    const models = yield* ModelCatalog
    const engine = yield* RunEngine
    const idempotency = yield* IdempotencyStore
    const [database] = databases.all
    const runs = ComponentRuns.make({ kind: "workflow", engine, database })

    const agent = (agent: Agent.Agent) =>
      AgentDetail.toDetail(agent, {
        databaseId: database.id,
        sessionTable: database.tables.sessions,
        model: models.describe(agent.model ?? models.defaultModel),
        reasoningModel: agent.reasoningModel === undefined ? undefined : models.describe(agent.reasoningModel)
      })
    const around = { databaseId: database.id, agent }
    const summaries = registry.all.map((workflow) => WorkflowDetail.toSummary(workflow, around))
    const details = new Map(registry.all.map((workflow) => [workflow.id, WorkflowDetail.toDetail(workflow, around)]))

    return handlers.handleAll({
      // Whoever may see some workflows and not others gets those.
      list: () =>
        CurrentPrincipal.useSync((principal) => {
          const visible = Principal.visible(principal, "workflows")
          return summaries.filter(({ id }) => visible === "all" || visible.has(id))
        }),
      get: ({ params }) => {
        const found = details.get(params.workflow_id)
        return found === undefined ? Effect.fail(notFound()) : Effect.succeed(found)
      },
      listRuns: Effect.fn("Workflows.listRuns")(function*({ params, query }) {
        yield* Effect.mapError(registry.get(params.workflow_id), notFound)
        const found = yield* runs.list(params.workflow_id, query.session_id, query.status)
        return found.filter(AnyRun.isWorkflow).map(WorkflowRun.toRecord)
      }),
      getRun: Effect.fn("Workflows.getRun")(function*({ params, query }) {
        yield* Effect.mapError(registry.get(params.workflow_id), notFound)
        const run = yield* runs.get(params.workflow_id, { run_id: params.run_id, session_id: query.session_id })
        return AnyRun.isWorkflow(run) ? run : yield* ComponentRuns.runNotFound()
      }),
      cancelRun: Effect.fn("Workflows.cancelRun")(function*({ params, query }) {
        yield* Effect.mapError(registry.get(params.workflow_id), notFound)
        return yield* runs.cancel(params.workflow_id, params.run_id, query.session_id)
      })
    }).handleRaw(
      "listEvents",
      Effect.fn("Workflows.listEvents")(function*({ headers, params, query }) {
        yield* Effect.mapError(registry.get(params.workflow_id), notFound)
        const after = headers["last-event-id"] ?? query.last_event_index ?? -1
        return yield* runs.events(params.workflow_id, { run_id: params.run_id, session_id: query.session_id }, after)
      })
    ).handleRaw(
      "resumeRun",
      Effect.fn("Workflows.resumeRun")(function*({ params, request }) {
        const form = yield* ComponentRuns.resumeForm(request, settings.limits.formBody)
        yield* Effect.mapError(registry.get(params.workflow_id), notFound)
        return yield* runs.resume(params.workflow_id, params.run_id, form)
      })
    ).handleRaw(
      "continueRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* WorkflowRunContinue.formOf(body)
        const workflow = yield* Effect.mapError(registry.get(params.workflow_id), notFound)
        const services = { engine, idempotency, runs: database.runs }
        return yield* WorkflowRunContinue.respond(services, { workflow, run_id: params.run_id, body, request }, form)
      })
    ).handleRaw(
      "createRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* RunForm.decode(body)
        const workflow = yield* Effect.mapError(registry.get(params.workflow_id), notFound)
        const newId = yield* NewId
        const identity = yield* Caller.runIdentity(form)
        return yield* RunStart.respond({ engine, idempotency }, {
          request,
          body,
          form,
          component: { kind: "workflow", id: workflow.id },
          subject: {
            run_id: Run.Id.make(form.run_id ?? newId()),
            session_id: Session.Id.make(identity.session_id ?? newId())
          },
          commandOf: (subject) => WorkflowCommands.commandOf(workflow, form, identity, subject)
        })
      })
    )
  })
)
