// Figures of days. The usage of hours, which limits count, is of the engine.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import * as Endpoints from "./MetricsApi.ts"
import { Metrics } from "./MetricsHandlers.ts"
import * as MetricsRefresh from "./MetricsRefresh.ts"
import { MetricsStore } from "./MetricsStore.ts"
import { metrics as migrations } from "./migrations.ts"
import * as SqlMetricsStore from "./SqlMetricsStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly metrics: typeof MetricsStore
  }
}

export const metrics = Feature.make({
  name: "metrics",
  stores: {
    services: { metrics: MetricsStore },
    layer: SqlMetricsStore.layer
  },
  migrations,
  groups: [Endpoints.Metrics],
  handlers: Metrics,
  jobs: () => Effect.map(MetricsRefresh.kind, (kind) => [kind])
})
