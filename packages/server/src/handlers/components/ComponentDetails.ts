// Shows the components of a kind, registered and stored ones, to callers who may see them.
import type { Services } from "@svc-runtime/agents/agent/execute/AgentDependencies"
import type { ComponentModule } from "@svc-runtime/agents/component/ComponentModule"
import type { DetailContext, SummaryContext } from "@svc-runtime/agents/component/Discovery"
import { StoredComponents } from "@svc-runtime/agents/component/StoredComponents"
import { Databases } from "@svc-runtime/agents/database/Databases"
import type { Component } from "@svc-runtime/agents/factory/Factory"
import { ModelCatalog } from "@svc-runtime/agents/Models"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as StoredListing from "@svc-runtime/features/components/StoredListing"
import { componentNotFound } from "@svc-runtime/http/wire/componentNotFound"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"

/** The components that the caller may see. */
const visible =
  (resource: (typeof ComponentKind.descriptions)[ComponentKind.ComponentKind]["resource"]) =>
  <A extends { readonly id: string }>(all: ReadonlyArray<A>) =>
    CurrentPrincipal.useSync((principal) => {
      const visible = Principal.visible(principal, resource)
      return all.filter(({ id }) => visible === "all" || visible.has(id))
    })

export const make = Effect.fnUntraced(function*<
  C extends Component,
  Command extends RunCommand,
  E,
  R,
  Summary extends { readonly id: string },
  Detail extends { readonly id: string }
>(module: ComponentModule<C, Command, E, R, Summary, Detail, Services>) {
  const { isComponent, kind, registry, toDetail, toSummary } = module
  const models = yield* ModelCatalog
  const databases = yield* Databases
  const { registered } = yield* registry
  const { resource } = ComponentKind.descriptions[kind]

  const context: DetailContext = {
    databaseOf: (component) => {
      const { id, tables } = databases.infoOf(component)
      return { id, sessionTable: tables.sessions, memoryTable: tables.memories }
    },
    modelOf: (model = models.defaultModel) => models.describe(model)
  }
  const summaryContext: SummaryContext = {
    databaseOf: (component) => context.databaseOf(component).id,
    modelOf: (model) => {
      const { id, provider } = context.modelOf(model)
      return { id, provider }
    }
  }
  /** What tool sources offer changes. All else of registered components stays. */
  const details = registered.map((component): () => Detail => {
    const [...agents] = ReachedComponents.of([component]).agents.keys()
    const detail = toDetail(component, context)
    return agents.some(({ toolSources }) => toolSources.length > 0) ? () => toDetail(component, context) : () => detail
  })
  const byId = new Map<string, () => Detail>(details.map((detail) => [detail().id, detail]))
  const summaries = registered.map((component) => toSummary(component, summaryContext))

  const stored = yield* StoredComponents
  const storedList = yield* StoredListing.make(module)

  /** The stored components behind the registered ones. */
  const withStored = <Item extends { readonly id: string }>(
    items: ReadonlyArray<Item>,
    toItem: (component: C) => Item
  ) => Effect.flatMap(storedList(toItem), (listed) => visible(resource)([...items, ...listed]))

  const storedDetail = Effect.fnUntraced(
    function*(id: string, version: number | undefined) {
      const found = stored === undefined ? Option.none() : yield* stored.find({ kind, id }, version)
      if (Option.isNone(found) || !isComponent(found.value.component)) {
        return yield* componentNotFound({ kind, id, version, known: byId.keys() })
      }
      const { component, versions: { draft, numbers } } = found.value
      const isDraft = draft !== undefined
      // only callers who may change a draft see it
      if (isDraft && !Caller.mayChange(Caller.make(yield* CurrentPrincipal), { kind, id })) {
        return yield* componentNotFound({ kind, id, version, known: byId.keys() })
      }
      return StoredListing.inVersion(toDetail(component, context), numbers[id], isDraft)
    },
    (detail) =>
      orUnavailable(
        Effect.catchTag(detail, "ComponentUnusable", ({ message }) => Effect.fail(Errors.conflict(message)))
      )
  )

  return {
    summaries: withStored(summaries, (component) => toSummary(component, summaryContext)),
    details: Effect.suspend(() =>
      withStored(details.map((detail) => detail()), (component) => toDetail(component, context))
    ),
    detail: (id: string, version?: number) => {
      const found = byId.get(id)
      return found === undefined ? storedDetail(id, version) : Effect.sync(found)
    }
  }
})
