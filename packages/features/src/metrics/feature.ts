// Figures of days, and the usage of hours.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import * as Endpoints from "./MetricsApi.ts"
import { Metrics } from "./MetricsHandlers.ts"
import * as MetricsRefresh from "./MetricsRefresh.ts"
import * as UsageJob from "./UsageJob.ts"

export const metrics = Feature.make({
  name: "metrics",
  groups: [Endpoints.Metrics],
  handlers: Metrics,
  jobs: () => Effect.all([MetricsRefresh.kind, UsageJob.kind])
})
