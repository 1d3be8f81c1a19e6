// How the components of a kind are listed in discovery.
import type * as Service from "@svc-runtime/domain/Service"
import type { ModelName, ModelRef } from "@svc-runtime/models/ModelCatalog"
import type { Component } from "../factory/Factory.ts"

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
