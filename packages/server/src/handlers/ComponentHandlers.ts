// The handlers that agents, teams and workflows have in common: a component is found and shown to callers who may see it,
// and its runs are handled.
import { CurrentPrincipal, Errors } from "@svc/api"
import { ComponentKind, Principal } from "@svc/domain"
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
  RunService,
  StoredRuns
} from "@svc/runtime"
import { Effect } from "effect"
import { Forms } from "../forms/Forms.ts"
import { ServerSettings } from "../Settings.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import type * as FactoryResolution from "./FactoryResolution.ts"

/** What differs between the kinds. */
export interface Options<K extends ComponentKind.ComponentKind, C extends Component, E> {
  readonly kind: K
  readonly registry: Registrations<C, E>
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
  const databases = yield* Databases
  const resolution: FactoryResolution.Options = { resolver: yield* FactoryResolver, largestInput: limits.jsonBody }
  const databaseOf = (component: Pick<Component, "db">) => databases.infoOf(component).id
  const notFound = () => Errors.notFound(`${ComponentKind.descriptions[kind].label} not found`)

  return {
    kind,
    forms,
    databaseOf,
    service,
    services: { engine, approvals, idempotency, runs: yield* StoredRuns },
    resolution,
    runs: ComponentRuns.make({ kind, engine, forms, service }),
    find: (id: C["id"]) => Effect.mapError(registry.find(id), notFound),
    /** The surroundings of an agent that is shown. */
    around: ({ db, model, reasoningModel }: Agent.Agent) => ({
      databaseId: databaseOf({ db }),
      sessionTable: databases.infoOf({ db }).tables.sessions,
      model: models.describe(model ?? models.defaultModel),
      reasoningModel: reasoningModel === undefined ? undefined : models.describe(reasoningModel)
    }),
    /** The components that the caller may see. */
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
    }
  }
})
