// Signals that this process has resumed a paused or failed run.
import type * as Run from "@svc-runtime/domain/Run"
import { Context, Layer } from "effect"
import * as Listeners from "./Listeners.ts"

/** Without the layer nothing follows. */
export const RunResumeSignal = Context.Reference<Listeners.Listeners<Run.Id>>("@svc-runtime/agents/RunResumeSignal", {
  defaultValue: () => ({ notify: () => {}, follow: () => {} })
})

/** Of one database. */
export const layer: Layer.Layer<never> = Layer.sync(RunResumeSignal, Listeners.make<Run.Id>)
