// Traces of runs in the own database of the service.
import * as Feature from "../Feature.ts"
import * as ExpiredTraces from "./ExpiredTraces.ts"
import * as MemoryTraceStore from "./MemoryTraceStore.ts"
import { traces as migrations } from "./migrations.ts"
import * as SqlTraceStore from "./SqlTraceStore.ts"
import { Traces as TracesEndpoints } from "./TracesApi.ts"
import { Traces } from "./TracesHandlers.ts"
import { TraceStore } from "./TraceStore.ts"
import { TraceWriter } from "./TraceWriter.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly traces: typeof TraceStore
  }
}

export const traces = Feature.make({
  name: "traces",
  groups: [TracesEndpoints],
  handlers: Traces,
  // it is closed after the runs, whose last spans it stores
  service: (_: undefined, { traces }: Feature.Service) => TraceWriter.layer(traces),
  stores: {
    services: { traces: TraceStore },
    layer: SqlTraceStore.layer,
    memory: MemoryTraceStore.layer
  },
  migrations,
  expiry: { ...ExpiredTraces.expiry }
})
