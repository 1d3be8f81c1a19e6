// What stored components can name.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as DeclaredResources from "./DeclaredResources.ts"
import { Registry as RegistryEndpoints } from "./RegistryApi.ts"
import { Registry } from "./RegistryHandlers.ts"

export const registry = Feature.make({
  name: "registry",
  groups: [RegistryEndpoints],
  handlers: Registry,
  service: (_, { registry = {} }) =>
    Layer.sync(DeclaredResources.DeclaredResources, () => DeclaredResources.make(registry))
})
