// Signals the worker of a database in this process that a job was stored, so that it does not wait for its next poll. A
// lost signal costs one poll.
import { Context, Layer } from "effect"
import * as Listeners from "./Listeners.ts"

/** Without the layer no worker is signalled. */
export const JobSignal = Context.Reference<Listeners.Listeners>("@svc-runtime/agents/JobSignal", {
  defaultValue: () => ({ notify: () => {}, follow: () => {} })
})

/** The same for a job that was cancelled. */
export const JobCancelSignal = Context.Reference<Listeners.Listeners>("@svc-runtime/agents/JobCancelSignal", {
  defaultValue: () => ({ notify: () => {}, follow: () => {} })
})

/** Of one database. */
export const layer: Layer.Layer<never> = Layer.merge(
  Layer.sync(JobSignal, Listeners.make<void>),
  Layer.sync(JobCancelSignal, Listeners.make<void>)
)
