// Signals the worker of a database in this process that a job was stored, so that it does not wait for its next poll. A
// lost signal costs one poll.
import { Context, Layer } from "effect"
import * as Listeners from "./Listeners.ts"

export class JobSignal
  extends Context.Service<JobSignal, Listeners.Listeners>()("@svc-runtime/engine/signals/JobSignal")
{}

/** The same for a job that was cancelled. */
export class JobCancelSignal extends Context.Service<JobCancelSignal, Listeners.Listeners>()(
  "@svc-runtime/engine/signals/JobSignal/JobCancelSignal"
) {}

/** For one database. */
export const layer: Layer.Layer<JobCancelSignal | JobSignal> = Layer.merge(
  Layer.sync(JobSignal, Listeners.make<void>),
  Layer.sync(JobCancelSignal, Listeners.make<void>)
)

/** Each worker finds stored and cancelled jobs at its next poll. */
export const layerNone: Layer.Layer<JobCancelSignal | JobSignal> = Layer.merge(
  Layer.sync(JobSignal, Listeners.none<void>),
  Layer.sync(JobCancelSignal, Listeners.none<void>)
)
