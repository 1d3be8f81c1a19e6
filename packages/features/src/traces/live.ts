// What the feature does in a service that has it.
import * as Feature from "../Feature.ts"
import * as ExpiredTraces from "./ExpiredTraces.ts"
import * as SqlTraceStore from "./SqlTraceStore.ts"
import type { TraceSettings } from "./TraceSettings.ts"
import { Traces } from "./TracesHandlers.ts"
import { TraceWriter } from "./TraceWriter.ts"

export const live = Feature.live({
  handlers: Traces,
  // it is closed after the runs, whose last spans it stores
  service: (_: TraceSettings, { traces }: Feature.Service) => TraceWriter.layer(traces),
  stores: SqlTraceStore.layer,
  expiry: { ...ExpiredTraces.expiry }
})
