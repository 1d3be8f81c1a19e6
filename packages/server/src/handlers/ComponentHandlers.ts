// The handlers that agents, teams and workflows share: they show a component to callers who may see it, and handle its
// runs.
import { CurrentPrincipal, Errors } from "@svc/api"
import * as ComponentKind from "@svc/domain/ComponentKind"
import * as Principal from "@svc/domain/Principal"
import type * as Agent from "@svc/runtime/agent/Agent"
import { Databases } from "@svc/runtime/database/Databases"
import type { Component } from "@svc/runtime/factory/Factory"
import { ModelCatalog } from "@svc/runtime/Models"
import { RunService } from "@svc/runtime/service/RunService"
import { Effect } from "effect"
import { Forms } from "../forms/Forms.ts"
import * as ComponentRuns from "./ComponentRuns.ts"

export const make = Effect.fnUntraced(function*(kind: ComponentKind.ComponentKind) {
  const service = yield* RunService
  const models = yield* ModelCatalog
  const databases = yield* Databases
  const databaseOf = (component: Pick<Component, "db">) => databases.infoOf(component).id
  const notFound = () => Errors.notFound(`${ComponentKind.descriptions[kind].label} not found`)

  return {
    databaseOf,
    service,
    runs: ComponentRuns.make({ kind, forms: yield* Forms, service }),
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
      return (id: string) => {
        const found = byId.get(id)
        return found === undefined ? Effect.fail(notFound()) : Effect.succeed(found)
      }
    }
  }
})
