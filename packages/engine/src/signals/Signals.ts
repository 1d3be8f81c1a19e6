// What the parts of this process tell each other about one database, so that none waits for its next poll. A lost
// signal costs one poll.
import type * as Run from "@svc-runtime/domain/Run"
import { Context, Layer } from "effect"
import * as Listeners from "./Listeners.ts"

/** A job was stored. */
export class JobSignal
  extends Context.Service<JobSignal, Listeners.Listeners>()("@svc-runtime/engine/signals/Signals/JobSignal")
{}

/** A job was cancelled. */
export class JobCancelSignal extends Context.Service<JobCancelSignal, Listeners.Listeners>()(
  "@svc-runtime/engine/signals/Signals/JobCancelSignal"
) {}

/** The end or the pause of a run was stored. */
export class RunEndSignal
  extends Context.Service<RunEndSignal, Listeners.Listeners>()("@svc-runtime/engine/signals/Signals/RunEndSignal")
{}

/** A paused or failed run was resumed. */
export class RunResumeSignal extends Context.Service<RunResumeSignal, Listeners.Listeners<Run.Id>>()(
  "@svc-runtime/engine/signals/Signals/RunResumeSignal"
) {}

export type Signals = JobCancelSignal | JobSignal | RunEndSignal | RunResumeSignal

/** For one database. */
export const layer: Layer.Layer<Signals> = Layer.mergeAll(
  Layer.sync(JobSignal, Listeners.make<void>),
  Layer.sync(JobCancelSignal, Listeners.make<void>),
  Layer.sync(RunEndSignal, Listeners.make<void>),
  Layer.sync(RunResumeSignal, Listeners.make<Run.Id>)
)

/** Jobs begin at the next poll, and pushes of resumed runs are not enqueued. */
export const layerNone: Layer.Layer<Signals> = Layer.mergeAll(
  Layer.succeed(JobSignal, Listeners.none<void>()),
  Layer.succeed(JobCancelSignal, Listeners.none<void>()),
  Layer.succeed(RunEndSignal, Listeners.none<void>()),
  Layer.succeed(RunResumeSignal, Listeners.none<Run.Id>())
)
