// What every `TraceStore` has to do.
import { layer } from "@effect/vitest"
import type { TraceStore } from "@svc/runtime/trace/TraceStore"
import type { Layer } from "effect"
import { filtering } from "./traces/filtering.ts"
import { findingRuns } from "./traces/findingRuns.ts"
import { removing } from "./traces/removing.ts"
import { writing } from "./traces/writing.ts"

export const suite = <E>(name: string, stores: Layer.Layer<TraceStore, E>) =>
  layer(stores, { excludeTestServices: true })(`TraceStore, ${name}`, (it) => {
    writing(it)
    filtering(it)
    findingRuns(it)
    removing(it)
  })
