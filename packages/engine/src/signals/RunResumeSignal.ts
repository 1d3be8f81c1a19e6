// Signals that this process has resumed a paused or failed run.
import type * as Run from "@svc-runtime/domain/Run"
import { Context, Layer } from "effect"
import * as Listeners from "./Listeners.ts"

export class RunResumeSignal
  extends Context.Service<RunResumeSignal, Listeners.Listeners<Run.Id>>()("@svc-runtime/engine/signals/RunResumeSignal")
{}

/** For one database. */
export const layer: Layer.Layer<RunResumeSignal> = Layer.sync(RunResumeSignal, Listeners.make<Run.Id>)

/** Pushes of resumed runs are not enqueued. */
export const layerNone: Layer.Layer<RunResumeSignal> = Layer.sync(RunResumeSignal, Listeners.none<Run.Id>)
