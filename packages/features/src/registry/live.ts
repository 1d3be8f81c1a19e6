// What the feature does in a service that has it.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as DeclaredResources from "./DeclaredResources.ts"
import { Registry } from "./RegistryHandlers.ts"

export const live = Feature.live({
  handlers: Registry,
  service: (_, { registry = {} }) =>
    Layer.sync(DeclaredResources.DeclaredResources, () => DeclaredResources.make(registry))
})
