// The handlers that agents, teams and workflows share: they show the components of a kind to callers who may see them,
// and their runs.
import { CurrentPrincipal, Errors } from "@svc/api"
import type * as AnyRun from "@svc/domain/AnyRun"
import * as ComponentKind from "@svc/domain/ComponentKind"
import * as Principal from "@svc/domain/Principal"
import type * as Session from "@svc/domain/Session"
import type { ComponentModule } from "@svc/runtime/component/ComponentModule"
import type { DetailContext, SummaryContext } from "@svc/runtime/component/Discovery"
import { Databases } from "@svc/runtime/database/Databases"
import type { Component } from "@svc/runtime/factory/Factory"
import { ModelCatalog } from "@svc/runtime/Models"
import type { RunRequest } from "@svc/runtime/run/RunRequest"
import { RunService } from "@svc/runtime/service/RunService"
import { Effect } from "effect"
import { Forms } from "../forms/Forms.ts"
import * as JsonAnswer from "../JsonAnswer.ts"
import { runNotFound } from "../WireErrors.ts"
import * as ComponentRuns from "./ComponentRuns.ts"

interface ListQuery {
  readonly session_id: Session.Id
  readonly status?: string
}

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
  Command extends RunRequest,
  E,
  R,
  Summary extends { readonly id: string },
  Detail extends { readonly id: string },
  Output extends AnyRun.Output,
  Record extends AnyRun.Record
>(
  { kind, registry, toDetail, toSummary }: ComponentModule<C, Command, E, R, Summary, Detail>,
  { is, toRecord }: AnyRun.RunsOfKind<Output, Record>
) {
  const service = yield* RunService
  const models = yield* ModelCatalog
  const databases = yield* Databases
  const { registered } = yield* registry
  const { label, resource } = ComponentKind.descriptions[kind]
  const runs = ComponentRuns.make({ kind, forms: yield* Forms, service })

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
  const details = registered.map((component) => toDetail(component, context))
  const byId = new Map<string, Detail>(details.map((detail) => [detail.id, detail]))
  const summaries = registered.map((component) => toSummary(component, summaryContext))

  return {
    runs,
    service,
    summaries: visible(resource)(summaries),
    details: visible(resource)(details),
    detail: (id: string) => {
      const found = byId.get(id)
      return found === undefined ? Effect.fail(Errors.notFound(`${label} not found`)) : Effect.succeed(found)
    },
    listRuns: Effect.fn("ComponentHandlers.listRuns")(function*(id: string, { session_id, status }: ListQuery) {
      const found = yield* runs.list(id, session_id, status)
      return JsonAnswer.of(found.filter(is).map(toRecord))
    }),
    run: Effect.fn("ComponentHandlers.run")(function*(id: string, path: ComponentRuns.RunPath) {
      const run = yield* runs.get(id, path)
      return is(run) ? run : yield* runNotFound()
    })
  }
})
