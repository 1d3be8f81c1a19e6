// The background workers of one database: every database that a service uses has its own.
import {
  ApprovalResumer,
  type ByteLimits,
  ComponentModules,
  type DatabaseHandle,
  type JobKind,
  JobWorker,
  Retention,
  RunEngine,
  type RunEngineOptions
} from "@svc/runtime"
import { type Duration, Effect, Layer } from "effect"
import * as Recovery from "./Recovery.ts"
import * as Shutdown from "./Shutdown.ts"

export interface Options {
  readonly node: string
  readonly drainTimeout: Duration.Input
  /** How long things are kept. */
  readonly keep: Retention.Options["keep"]
  /** Kinds of background jobs, beside those of the service itself. */
  readonly jobs: ReadonlyArray<JobKind.JobKind<never>>
  /** How large the values of a run may be. */
  readonly byteLimits: ByteLimits
  /** Seconds after which the runs of a silent node are taken over. Undefined: never. */
  readonly nodeTimeout: number | undefined
  readonly engine: Pick<RunEngineOptions, "admission" | "identity" | "limits">
  /** Undefined if it cannot be stopped. */
  readonly shutdown: Shutdown.Shutdown | undefined
}

/** An embedded database has one node, so no other node takes over its runs. */
const engineOf = ({ drainTimeout, engine, node, nodeTimeout }: Options, isShared: boolean) =>
  RunEngine.layer({ node, drainTimeout, nodeTimeout: isShared ? nodeTimeout : undefined, isShared, ...engine })

const jobKinds = ({ jobs, keep }: Options) => Effect.map(Retention.kind({ keep }), (retention) => [retention, ...jobs])

export const isShared = ({ source }: DatabaseHandle.DatabaseHandle): boolean => source._tag === "Postgres"

export const layer = (options: Options, isShared: boolean) =>
  Layer.mergeAll(
    // resumes the runs that this node was executing when it stopped
    Recovery.layer,
    // executes background jobs, of which one removes what is older than it has to be kept
    JobWorker.layer({ kinds: jobKinds(options), drainTimeout: options.drainTimeout }),
    // tells callers who wait that their runs continue elsewhere
    options.shutdown === undefined ? Layer.empty : Shutdown.handOver(options.shutdown)
  ).pipe(
    // resumes the runs whose approvals are resolved
    Layer.provideMerge(ApprovalResumer.layer),
    // heartbeats, takeover, the session queue, cancellation, storing and following events
    Layer.provideMerge(engineOf(options, isShared)),
    Layer.provide(ComponentModules.runners)
  )
