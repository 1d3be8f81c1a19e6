// The options of an engine, with their defaults.
import { Context, Effect, Layer } from "effect"
import type { RunEngineOptions } from "./RunEngine.ts"

export interface Limits {
  /** How often a run may lose its node without finishing a step. */
  readonly maxTakeovers: number
  /** How often a run that cannot be restored is released and retried. */
  readonly maxRestores: number
  /** Seconds that a run waits for a node that can execute it. */
  readonly unservedTimeout: number
}

const defaultLimits: Limits = { maxTakeovers: 5, maxRestores: 10, unservedTimeout: 600 }

/** In seconds, for the interval of heartbeats if nodes never count as dead. */
const defaultNodeTimeout = 8

export class EngineSettings extends Context.Service<
  EngineSettings,
  Omit<RunEngineOptions, "isShared" | "limits"> & {
    /** Whether other nodes use the same database. */
    readonly isShared: boolean
    readonly limits: Limits
    /** In seconds. */
    readonly takeoverInterval: number
    /** Seconds between two checks of the node's own heartbeat. */
    readonly watchdogInterval: number
    /** The context around the engine. Runs are executed in it: a large context costs each of them time. */
    readonly context: Context.Context<never>
  }
>()("@svc-runtime/engine/run/engine/EngineSettings") {
  static readonly layer = (options: RunEngineOptions): Layer.Layer<EngineSettings> => {
    const { isShared, limits, nodeTimeout } = options
    const settings = {
      ...options,
      isShared: isShared ?? nodeTimeout !== undefined,
      limits: { ...defaultLimits, ...limits },
      takeoverInterval: Math.max(0.25, (nodeTimeout ?? defaultNodeTimeout) / 4),
      watchdogInterval: Math.max(0.1, (nodeTimeout ?? defaultNodeTimeout) / 16)
    }
    return Layer.effect(EngineSettings, Effect.map(Effect.context<never>(), (context) => ({ ...settings, context })))
  }
}
