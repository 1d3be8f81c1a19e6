// Figures of days, and the usage of hours.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as Endpoints from "./MetricsApi.ts"
import { Metrics } from "./MetricsHandlers.ts"
import * as MetricsRefresh from "./MetricsRefresh.ts"
import { MetricsStore } from "./MetricsStore.ts"
import { metrics as migrations } from "./migrations.ts"
import * as SqlMetricsStore from "./SqlMetricsStore.ts"
import * as SqlUsageStore from "./SqlUsageStore.ts"
import * as UsageJob from "./UsageJob.ts"
import { UsageStore } from "./UsageStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly metrics: typeof MetricsStore
    readonly usage: typeof UsageStore
  }
}

export const metrics = Feature.make({
  name: "metrics",
  stores: {
    services: { metrics: MetricsStore, usage: UsageStore },
    layer: Layer.mergeAll(SqlMetricsStore.layer, SqlUsageStore.layer)
  },
  migrations,
  groups: [Endpoints.Metrics],
  handlers: Metrics,
  jobs: () => Effect.all([MetricsRefresh.kind, UsageJob.kind])
})
