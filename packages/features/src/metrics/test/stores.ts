// The store of the figures of days, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { MetricsStore } from "../MetricsStore.ts"

const calls = Effect.map(MetricsStore, (metrics) => ({
  "metrics.list": metrics.list({ from: 20_000, to: 20_001 }),
  "metrics.compute": metrics.compute(Owner.user(userId()), { from: 20_000, to: 20_001 }),
  "metrics.outdated": metrics.outdated(20_000),
  "metrics.refresh": metrics.refresh({ day: 20_000, id: newId("day"), at: 1 })
}))

export const stores: CheckedStores = {
  history: { metrics: ["tables"] },
  tables: ["svc_day_metrics"],
  calls,
  small: ["svc_day_metrics"]
}
