// The options of an engine, with their defaults.
import type * as Ids from "@svc-runtime/domain/Ids"
import { Context, type Duration, Effect, Layer } from "effect"
import type * as Presence from "../leases/Presence.ts"
import type * as StartLimits from "../StartLimits.ts"
import type { Guest } from "./Guest.ts"
import type * as RunAdmission from "./RunAdmission.ts"

export interface Limits {
  /** How often a run may lose its node without finishing a step. */
  readonly maxTakeovers: number
  /** How often a run that cannot be restored is released and retried. */
  readonly maxRestores: number
  /** Seconds that a run waits for a node that can execute it. */
  readonly unservedTimeout: number
}

export interface RunEngineOptions {
  /** Names this process for people; the same again after a restart. */
  readonly node: string
  /** The database of the runs, for their spans. */
  readonly database?: Ids.DatabaseId | undefined
  /** How a process finds out whether another one on the same machine has ended. */
  readonly identity?: Presence.Identity | undefined
  /** Whether other processes may use the database. Where there is a `nodeTimeout`, when left out. */
  readonly isShared?: boolean | undefined
  readonly limits?: Partial<Limits> | undefined
  /** How many runs may start. Any number, when left out. */
  readonly startLimits?: StartLimits.Options | undefined
  /** How long runs may continue when the engine is closed. */
  readonly drainTimeout: Duration.Input
  /** How much the engines of a node execute at once. */
  readonly admission?: RunAdmission.RunAdmission | undefined
  /** It executes only its own runs, and takes over none. A service, when left out. */
  readonly guest?: Guest | undefined
  /** Seconds without a heartbeat after which other nodes take over the runs of a node. Undefined: never. */
  readonly nodeTimeout?: number | undefined
  /** The least time between two statements that store events. What happens meanwhile is shown that much later. */
  readonly eventInterval?: Duration.Input | undefined
}

const defaultLimits: Limits = { maxTakeovers: 5, maxRestores: 10, unservedTimeout: 600 }

/** More services than a run adds to its context. Beyond, an addition copies the whole context. */
const maxDepth = 32

/** In seconds, for the interval of heartbeats if nodes never count as dead. */
const defaultNodeTimeout = 8

export class EngineSettings extends Context.Service<
  EngineSettings,
  Omit<RunEngineOptions, "isShared" | "limits" | "startLimits"> & {
    /** Whether other nodes use the same database. */
    readonly isShared: boolean
    readonly limits: Limits
    readonly startLimits: StartLimits.Options
    /** In seconds. */
    readonly takeoverInterval: number
    /** Seconds between two checks of the node's own heartbeat. */
    readonly watchdogInterval: number
    /** The context around the engine. Runs are executed in it, and add services to it. */
    readonly context: Context.Context<never>
  }
>()("@svc-runtime/engine/run/engine/EngineSettings") {
  static readonly layer = (options: RunEngineOptions): Layer.Layer<EngineSettings> => {
    const { isShared, limits, nodeTimeout, startLimits = {} } = options
    const settings = {
      ...options,
      isShared: isShared ?? nodeTimeout !== undefined,
      limits: { ...defaultLimits, ...limits },
      startLimits,
      takeoverInterval: Math.max(0.25, (nodeTimeout ?? defaultNodeTimeout) / 4),
      watchdogInterval: Math.max(0.1, (nodeTimeout ?? defaultNodeTimeout) / 16)
    }
    return Layer.effect(
      EngineSettings,
      Effect.map(Effect.context<never>(), ({ mapUnsafe }) => ({
        ...settings,
        context: Context.makeUnsafe(mapUnsafe, { maxDepth })
      }))
    )
  }
}
