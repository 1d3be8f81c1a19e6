// What stored components can name.
import * as Feature from "../Feature.ts"
import { Registry as RegistryEndpoints } from "./RegistryApi.ts"
import { Registry } from "./RegistryHandlers.ts"

export const registry = Feature.make({
  name: "registry",
  groups: [RegistryEndpoints],
  handlers: Registry
})
