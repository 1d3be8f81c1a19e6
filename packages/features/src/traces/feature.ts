// Traces of runs in the own database of the service.
import * as Feature from "../Feature.ts"
import { traces as migrations } from "./migrations.ts"
import { Traces as TracesEndpoints } from "./TracesApi.ts"
import { traceSettings } from "./TraceSettings.ts"
import { TraceStore } from "./TraceStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly traces: typeof TraceStore
  }
}

export const traces = Feature.make({
  name: "traces",
  groups: [TracesEndpoints],
  settings: traceSettings,
  stores: { traces: TraceStore },
  inMemory: () => import("./MemoryTraceStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
