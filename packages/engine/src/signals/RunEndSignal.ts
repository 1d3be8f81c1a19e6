// Signals that this process has stored the end or the pause of a run.
import { Context, Layer } from "effect"
import * as Listeners from "./Listeners.ts"

export class RunEndSignal
  extends Context.Service<RunEndSignal, Listeners.Listeners>()("@svc-runtime/engine/signals/RunEndSignal")
{}

/** For one database. */
export const layer: Layer.Layer<RunEndSignal> = Layer.sync(RunEndSignal, Listeners.make<void>)

/** Jobs of ended runs begin at the next poll. */
export const layerNone: Layer.Layer<RunEndSignal> = Layer.sync(RunEndSignal, Listeners.none<void>)
