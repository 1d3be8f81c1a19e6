// Components that are stored with versions, and changed while the service runs.
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import { BuiltComponents } from "./BuiltComponents.ts"
import { Components as ComponentsEndpoints } from "./ComponentsApi.ts"
import { Components } from "./ComponentsHandlers.ts"
import { ConfigResolver } from "./ConfigResolver.ts"
import { components as migrations } from "./migrations.ts"
import * as SqlComponentStore from "./SqlComponentStore.ts"
import * as StoredVersions from "./StoredVersions.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly components: typeof ComponentStore
  }
}

export const components = Feature.make({
  name: "components",
  groups: [ComponentsEndpoints],
  handlers: Components,
  // what the stores of all databases share
  service: () => Layer.merge(ConfigResolver.layer, BuiltComponents.layer),
  runs: (_, { isOwn }) => isOwn ? StoredVersions.layer : Layer.empty,
  // requests have a time limit for each statement
  starts: () => StoredVersions.layerRequests,
  stores: {
    services: { components: ComponentStore },
    layer: SqlComponentStore.layer
  },
  migrations
})
