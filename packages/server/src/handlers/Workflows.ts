// Workflows and their runs.
import { Api, CurrentPrincipal, Errors } from "@svc/api"
import { AnyRun, Principal, Run, Session, type Workflow, WorkflowRun } from "@svc/domain"
import {
  type Agent,
  Databases,
  FactoryInput,
  FactoryResolver,
  IdempotencyStore,
  isFactory,
  ModelCatalog,
  NewId,
  RunEngine,
  WorkflowDetail,
  WorkflowRegistry
} from "@svc/runtime"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Caller from "../authorization/Caller.ts"
import * as FormBody from "../multipart/FormBody.ts"
import * as RunForm from "../multipart/RunForm.ts"
import { ServerSettings } from "../Settings.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import * as Resolution from "./Resolution.ts"
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
    const resolution = { resolver: yield* FactoryResolver, largestInput: settings.limits.jsonBody }
    const [database] = databases.all
    const runs = ComponentRuns.make({ kind: "workflow", engine, database })

    const around = ({ model, reasoningModel }: Agent.Agent) => ({
      databaseId: database.id,
      sessionTable: database.tables.sessions,
      model: models.describe(model ?? models.defaultModel),
      reasoningModel: reasoningModel === undefined ? undefined : models.describe(reasoningModel)
    })
    const shown = { databaseId: database.id, around }
    const summaries = registry.registered.map((workflow) => WorkflowDetail.toSummary(workflow, database.id))
    const details = new Map(registry.registered.map((workflow) => [
      workflow.id,
      isFactory(workflow) ? WorkflowDetail.ofFactory(workflow, database.id) : WorkflowDetail.toDetail(workflow, shown)
    ]))
    const find = (id: Workflow.Id) => Effect.mapError(registry.find(id), notFound)

    /** A factory has its say about reading as well: whom it turns away, or what it does not take, ends here. */
    const mayRead = Effect.fnUntraced(
      function*(id: Workflow.Id, session_id: Session.Id, factory_input: string | undefined) {
        const registered = yield* find(id)
        if (!isFactory(registered)) return
        const { session_id: own, user_id } = yield* CurrentPrincipal
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* Resolution.resolve(resolution, registered, {
          user_id,
          session_id: own ?? session_id,
          request,
          input: FactoryInput.text(factory_input)
        })
      },
      Effect.scoped
    )

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
        yield* mayRead(params.workflow_id, query.session_id, query.factory_input)
        const found = yield* runs.list(params.workflow_id, query.session_id, query.status)
        return found.filter(AnyRun.isWorkflow).map(WorkflowRun.toRecord)
      }),
      getRun: Effect.fn("Workflows.getRun")(function*({ params, query }) {
        yield* mayRead(params.workflow_id, query.session_id, query.factory_input)
        const run = yield* runs.get(params.workflow_id, { run_id: params.run_id, session_id: query.session_id })
        return AnyRun.isWorkflow(run) ? run : yield* ComponentRuns.runNotFound()
      }),
      cancelRun: Effect.fn("Workflows.cancelRun")(function*({ params, query }) {
        yield* find(params.workflow_id)
        return yield* runs.cancel(params.workflow_id, params.run_id, query.session_id)
      })
    }).handleRaw(
      "listEvents",
      Effect.fn("Workflows.listEvents")(function*({ headers, params, query }) {
        yield* find(params.workflow_id)
        const after = headers["last-event-id"] ?? query.last_event_index ?? -1
        return yield* runs.events(params.workflow_id, { run_id: params.run_id, session_id: query.session_id }, after)
      })
    ).handleRaw(
      "resumeRun",
      Effect.fn("Workflows.resumeRun")(function*({ params, request }) {
        const form = yield* ComponentRuns.resumeForm(request, settings.limits.formBody)
        yield* find(params.workflow_id)
        return yield* runs.resume(params.workflow_id, params.run_id, form)
      })
    ).handleRaw(
      "continueRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* WorkflowRunContinue.formOf(body)
        const registered = yield* find(params.workflow_id)
        const principal = yield* CurrentPrincipal
        const workflow = yield* Resolution.resolve(resolution, registered, {
          user_id: principal.user_id ?? form.user_id,
          session_id: principal.session_id ?? form.session_id,
          request,
          input: FactoryInput.text(form.factory_input)
        })
        const services = { engine, idempotency, runs: database.runs }
        return yield* WorkflowRunContinue.respond(services, { workflow, run_id: params.run_id, body, request }, form)
      }, Effect.scoped)
    ).handleRaw(
      "createRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* RunForm.decode(body)
        const registered = yield* find(params.workflow_id)
        const newId = yield* NewId
        const identity = yield* Caller.runIdentity(form)
        // A factory sees the ids that were given, and not those that are made here.
        const asked = { ...identity, request, input: FactoryInput.text(form.factory_input) }
        return yield* RunStart.respond({ engine, idempotency }, {
          request,
          body,
          form,
          component: { kind: "workflow", id: registered.id },
          subject: {
            run_id: Run.Id.make(form.run_id ?? newId()),
            session_id: Session.Id.make(identity.session_id ?? newId())
          },
          commandOf: (subject) =>
            Effect.flatMap(
              Resolution.resolve(resolution, registered, asked),
              (resolved) => WorkflowCommands.commandOf(resolved, form, identity, subject)
            )
        })
      })
    )
  })
)
