// How the components of a kind are listed in discovery.
import type * as Service from "@svc-runtime/domain/Service"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import type { ModelName, ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Effect } from "effect"
import type { Component } from "../factory/Factory.ts"
import type { ComponentModule } from "./ComponentModule.ts"

export interface SummaryContext {
  /** The id of the database of a component. */
  readonly databaseOf: (component: Pick<Component, "db">) => string
  /** Undefined is the service's model. */
  readonly modelOf: (model: ModelRef | undefined) => Service.Model
}

export interface DetailContext {
  /** The id of the database of a component, and its table of sessions. */
  readonly databaseOf: (
    component: Pick<Component, "db">
  ) => { readonly id: string; readonly sessionTable: string; readonly memoryTable?: string | undefined }
  /** Undefined is the service's model. */
  readonly modelOf: (model: ModelRef | undefined) => ModelName
}

/** The registered components of a kind. */
export interface Listing<Summary> {
  readonly count: number
  readonly summaries: (context: SummaryContext) => ReadonlyArray<Summary>
}

export const listing = <C extends Component, Command extends RunCommand, E, R, Summary>(
  { registry, toSummary }: Pick<ComponentModule<C, Command, E, R, Summary, unknown, never>, "registry" | "toSummary">
): Effect.Effect<Listing<Summary>, never, R> =>
  Effect.map(registry, ({ registered }) => ({
    count: registered.length,
    summaries: (context) => registered.map((each) => toSummary(each, context))
  }))
