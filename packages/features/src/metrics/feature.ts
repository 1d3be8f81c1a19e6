// Figures of days. The usage of hours, which limits count, is of the engine.
import * as Feature from "../Feature.ts"
import * as Endpoints from "./MetricsApi.ts"
import { MetricsStore } from "./MetricsStore.ts"
import { metrics as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly metrics: typeof MetricsStore
  }
}

export const metrics = Feature.make({
  name: "metrics",
  groups: [Endpoints.Metrics],
  stores: { metrics: MetricsStore },
  migrations,
  load: () => import("./live.ts")
})
