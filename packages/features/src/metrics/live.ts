// What the feature does in a service that has it.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import { Metrics } from "./MetricsHandlers.ts"
import * as MetricsRefresh from "./MetricsRefresh.ts"
import * as SqlMetricsStore from "./SqlMetricsStore.ts"

export const live = Feature.live({
  stores: SqlMetricsStore.layer,
  handlers: Metrics,
  jobs: () => Effect.map(MetricsRefresh.kind, (kind) => [kind])
})
