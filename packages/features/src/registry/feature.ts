// What stored components can name.
import * as Feature from "../Feature.ts"
import { Registry as RegistryEndpoints } from "./RegistryApi.ts"

export const registry = Feature.make({
  name: "registry",
  groups: [RegistryEndpoints],
  load: () => import("./live.ts")
})
