// What the handlers of agents, teams and workflows do alike: they find a component, show it to those who may see it, start
// its runs, and let runs be watched, cancelled and copied. What is their own is how a component is shown, how it is asked,
// how its runs go on, and what these are shown as.
import { CurrentPrincipal, Errors } from "@svc/api"
import { ComponentKind, type Ids, Principal, Run, Session } from "@svc/domain"
import {
  type Agent,
  ApprovalStore,
  type Component,
  Databases,
  FactoryInput,
  FactoryResolver,
  IdempotencyStore,
  ModelCatalog,
  NewId,
  type Registrations,
  type Resolved,
  type RunCommand,
  RunEngine
} from "@svc/runtime"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "../authorization/Caller.ts"
import type * as FormBody from "../forms/FormBody.ts"
import { Forms } from "../forms/Forms.ts"
import * as RunForm from "../forms/RunForm.ts"
import { ServerSettings } from "../Settings.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import * as FactoryResolution from "./FactoryResolution.ts"
import * as RunStart from "./RunStart.ts"

/** What is particular to one of the three. */
export interface Options<K extends Session.Kind, C extends Component, E, F, R> {
  readonly kind: K
  readonly registry: Registrations<C, E>
  /** From a form to what is asked. */
  readonly commandOf: (
    resolved: Resolved<C>,
    form: RunForm.RunForm,
    identity: Caller.RunIdentity,
    subject: { readonly run_id: Run.Id; readonly session_id: Session.Id }
  ) => Effect.Effect<RunCommand, F, R>
}

/** Where in the events of a run somebody begins to watch. */
interface From {
  readonly query: { readonly session_id: Session.Id; readonly last_event_index?: number }
  readonly headers: { readonly "last-event-id"?: number }
}

export const make = Effect.fnUntraced(function*<K extends Session.Kind, C extends Component, E, F, R>(
  { commandOf, kind, registry }: Options<K, C, E, F, R>
) {
  const { limits } = yield* ServerSettings
  const forms = yield* Forms
  const engine = yield* RunEngine
  const idempotency = yield* IdempotencyStore
  const approvals = yield* ApprovalStore
  const models = yield* ModelCatalog
  const [database] = (yield* Databases).all
  const resolution: FactoryResolution.Options = { resolver: yield* FactoryResolver, largestInput: limits.jsonBody }
  const runs = ComponentRuns.make({ kind, engine, database })

  const notFound = () => Errors.notFound(`${ComponentKind.descriptions[kind].label} not found`)
  const find = (id: C["id"]) => Effect.mapError(registry.find(id), notFound)

  const begin = Effect.fnUntraced(function*(
    id: C["id"],
    request: HttpServerRequest.HttpServerRequest,
    { fingerprint, form, release }: FormBody.Read<RunForm.RunForm>
  ) {
    const registered = yield* find(id)
    const newId = yield* NewId
    const identity = yield* Caller.runIdentity(form)
    // A factory sees the ids that were given, and not those that are made here.
    const asked = { ...identity, request, input: FactoryInput.text(form.factory_input) }
    return yield* RunStart.respond({ engine, idempotency }, {
      request,
      fingerprint,
      release,
      form,
      component: { kind, id: registered.id },
      subject: {
        run_id: Run.Id.make(form.run_id ?? newId()),
        session_id: Session.Id.make(identity.session_id ?? newId())
      },
      commandOf: (subject) =>
        Effect.flatMap(
          FactoryResolution.resolve(resolution, registered, asked),
          (resolved) => commandOf(resolved, form, identity, subject)
        )
    })
  })

  return {
    kind,
    forms,
    database,
    services: { engine, approvals, idempotency, runs: database.runs },
    resolution,
    runs,
    find,
    /** What is known around an agent that is shown. */
    around: ({ model, reasoningModel }: Agent.Agent) => ({
      databaseId: database.id,
      sessionTable: database.tables.sessions,
      model: models.describe(model ?? models.defaultModel),
      reasoningModel: reasoningModel === undefined ? undefined : models.describe(reasoningModel)
    }),
    /** Whoever may see some and not others gets those. */
    visible: <A extends { readonly id: string }>(all: ReadonlyArray<A>) =>
      CurrentPrincipal.useSync((principal) => {
        const visible = Principal.visible(principal, `${kind}s`)
        return all.filter(({ id }) => visible === "all" || visible.has(id))
      }),
    show: <A extends { readonly id: string }>(all: ReadonlyArray<A>) => {
      const byId = new Map<string, A>(all.map((each) => [each.id, each]))
      return (id: C["id"]) => {
        const found = byId.get(id)
        return found === undefined ? Effect.fail(notFound()) : Effect.succeed(found)
      }
    },
    cancel: Effect.fn("ComponentHandlers.cancel")(
      function*(id: C["id"], run_id: Run.Id, session_id: Session.Id | undefined) {
        yield* find(id)
        return yield* runs.cancel(id, run_id, session_id)
      }
    ),
    fork: Effect.fn("ComponentHandlers.fork")(
      function*(id: C["id"], session_id: Session.Id, user_id: Ids.UserId | undefined) {
        yield* find(id)
        return yield* runs.fork(id, session_id, user_id)
      }
    ),
    events: Effect.fn("ComponentHandlers.events")(function*(id: C["id"], run_id: Run.Id, { headers, query }: From) {
      yield* find(id)
      // What a browser sends when it connects again counts for more than what its first request said.
      const after = headers["last-event-id"] ?? query.last_event_index ?? -1
      return yield* runs.events(id, { run_id, session_id: query.session_id }, after)
    }),
    resume: Effect.fn("ComponentHandlers.resume")(
      function*(id: C["id"], run_id: Run.Id, request: HttpServerRequest.HttpServerRequest) {
        return yield* forms.using(
          request,
          ComponentRuns.decodeResumeForm,
          ({ form }) => Effect.andThen(find(id), runs.resume(id, run_id, form))
        )
      }
    ),
    start: Effect.fnUntraced(function*(id: C["id"], request: HttpServerRequest.HttpServerRequest) {
      return yield* forms.using(request, RunForm.decode, (read) => begin(id, request, read))
    })
  }
})
