// What every `TraceStore` has to do.
import { layer } from "@effect/vitest"
import type { Layer } from "effect"
import type { TraceStore } from "../TraceStore.ts"
import { filtering } from "./filtering.ts"
import { findingRuns } from "./findingRuns.ts"
import { removing } from "./removing.ts"
import { writing } from "./writing.ts"

export const suite = <E>(name: string, stores: Layer.Layer<TraceStore, E>) =>
  layer(stores, { excludeTestServices: true })(`TraceStore, ${name}`, (it) => {
    writing(it)
    filtering(it)
    findingRuns(it)
    removing(it)
  })
