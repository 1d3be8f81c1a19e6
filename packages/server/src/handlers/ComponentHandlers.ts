// What the handlers of agents, teams and workflows do alike: they find a component, show it to those who may see it, start
// its runs, and let runs be watched, cancelled and copied. What is their own is how a component is shown, how its runs
// are continued, and what these are shown as.
import { CurrentPrincipal, Errors } from "@svc/api"
import { ComponentKind, type Ids, Principal, type Run, type Session } from "@svc/domain"
import {
  type Agent,
  ApprovalStore,
  type Component,
  Databases,
  FactoryResolver,
  IdempotencyStore,
  ModelCatalog,
  type Registrations,
  RunEngine,
  RunService
} from "@svc/runtime"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Forms } from "../forms/Forms.ts"
import * as RunForm from "../forms/RunForm.ts"
import { ServerSettings } from "../Settings.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import type * as FactoryResolution from "./FactoryResolution.ts"
import * as RunStart from "./RunStart.ts"

/** What is particular to one of the three. */
export interface Options<K extends ComponentKind.ComponentKind, C extends Component, E> {
  readonly kind: K
  readonly registry: Registrations<C, E>
}

/** Where in the events of a run somebody begins to watch. */
interface From {
  readonly query: { readonly session_id: Session.Id; readonly last_event_index?: number }
  readonly headers: { readonly "last-event-id"?: number }
}

export const make = Effect.fnUntraced(function*<K extends ComponentKind.ComponentKind, C extends Component, E>(
  { kind, registry }: Options<K, C, E>
) {
  const { limits } = yield* ServerSettings
  const forms = yield* Forms
  const engine = yield* RunEngine
  const service = yield* RunService
  const idempotency = yield* IdempotencyStore
  const approvals = yield* ApprovalStore
  const models = yield* ModelCatalog
  const [database] = (yield* Databases).all
  const resolution: FactoryResolution.Options = { resolver: yield* FactoryResolver, largestInput: limits.jsonBody }
  const runs = ComponentRuns.make({ kind, engine, database })

  const notFound = () => Errors.notFound(`${ComponentKind.descriptions[kind].label} not found`)
  const find = (id: C["id"]) => Effect.mapError(registry.find(id), notFound)

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
      const starting = RunStart.respond({ engine, service }, { component: { kind, id }, request })
      return yield* forms.using(request, RunForm.decode, starting)
    })
  }
})
