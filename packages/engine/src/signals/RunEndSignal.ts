// Signals that this process has stored the end or the pause of a run.
import { Context, Layer } from "effect"
import * as Listeners from "./Listeners.ts"

/** Without the layer nothing follows. */
export const RunEndSignal = Context.Reference<Listeners.Listeners>("@svc-runtime/agents/RunEndSignal", {
  defaultValue: () => ({ notify: () => {}, follow: () => {} })
})

/** Of one database. */
export const layer: Layer.Layer<never> = Layer.sync(RunEndSignal, Listeners.make<void>)
