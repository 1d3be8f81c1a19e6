// The public seam: agents in, a running service out. `make` reads the environment and gives a Layer that, once launched,
// serves until it is closed. `layerRoutes` is the same service without socket, database and environment, for tests and
// for those who bring their own.
import { Ids } from "@svc/domain"
import {
  type Agent,
  AgentRegistry,
  Databases,
  type DuplicateIds,
  ModelCatalog,
  type ModelOptions,
  RunEngine,
  type RunStore,
  type SessionStore
} from "@svc/runtime"
import { Layer } from "effect"
import type { Duration } from "effect"
import * as Routes from "./Routes.ts"
import { ServerSettings, type Settings } from "./Settings.ts"

export interface Components {
  readonly agents: ReadonlyArray<Agent.Agent>
}

export interface Parts extends Components {
  readonly settings: Settings
  readonly databaseId: string
  readonly node: string
  readonly drainTimeout: Duration.Input
  readonly models: ModelOptions
  readonly corsOrigins: ReadonlyArray<string>
}

/** Everything between the stores and the router. */
export const layerRoutes = (parts: Parts) =>
  Routes.layer({ docs: parts.settings.docs, corsOrigins: parts.corsOrigins }).pipe(
    Layer.provide(RunEngine.layerInProcess({ node: parts.node, drainTimeout: parts.drainTimeout })),
    Layer.provide([
      AgentRegistry.layer(parts.agents) satisfies Layer.Layer<AgentRegistry, DuplicateIds>,
      ModelCatalog.layer(parts.models),
      Databases.layer(Ids.DatabaseId.make(parts.databaseId)) satisfies Layer.Layer<
        Databases,
        never,
        SessionStore | RunStore
      >,
      Layer.succeed(ServerSettings, parts.settings)
    ])
  )
