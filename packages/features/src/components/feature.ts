// Components that are stored with versions, and changed while the service runs.
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import * as Feature from "../Feature.ts"
import { Components as ComponentsEndpoints } from "./ComponentsApi.ts"
import { components as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly components: typeof ComponentStore
  }
}

export const components = Feature.make({
  name: "components",
  groups: [ComponentsEndpoints],
  stores: { components: ComponentStore },
  migrations,
  load: () => import("./live.ts")
})
