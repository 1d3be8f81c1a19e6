// What the feature does in a service that has it.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import { BuiltComponents } from "./BuiltComponents.ts"
import { Components } from "./ComponentsHandlers.ts"
import { ConfigResolver } from "./ConfigResolver.ts"
import * as SqlComponentStore from "./SqlComponentStore.ts"
import * as StoredVersions from "./StoredVersions.ts"

export const live = Feature.live({
  handlers: Components,
  // what the stores of all databases share
  service: () => Layer.merge(ConfigResolver.layer, BuiltComponents.layer),
  runs: (_, { isOwn }) => isOwn ? StoredVersions.layer : Layer.empty,
  // requests have a time limit for each statement
  starts: () => StoredVersions.layerRequests,
  stores: SqlComponentStore.layer
})
