// Accepts runs and executes them. A run belongs to the engine, not to the request that started it: neither a disconnect
// of its client nor the end of this process ends it. An engine that is closed waits for its runs up to a limit, and
// hands over the others. They resume after their last finished step, on any node or after a restart.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Duration, type Effect, Layer, type Option } from "effect"
import { CurrentNode } from "../../node/CurrentNode.ts"
import type { SessionNotFound } from "../../session/SessionErrors.ts"
import type * as RunWatch from "../events/RunWatch.ts"
import type * as Presence from "../leases/Presence.ts"
import type { RunCommand } from "../RunCommand.ts"
import type {
  ComponentOutdated,
  LimitReached,
  RunExists,
  RunHandedOver,
  SessionBusy,
  TooManyRuns
} from "../RunErrors.ts"
import type { RunHandle } from "../RunHandle.ts"
import type { RunMode, Runners } from "../Runners.ts"
import type { RunReading } from "../store/RunReading.ts"
import type { RunFilter, RunSnapshot } from "../store/RunReads.ts"
import type { RunStore } from "../store/RunStore.ts"
import * as EngineService from "./EngineService.ts"
import type { Limits } from "./EngineSettings.ts"
import type * as RunAdmission from "./RunAdmission.ts"

export interface CancelRequest {
  readonly run_id: Run.Id
  /** Undefined if only the id of the run is known. */
  readonly session_id: Session.Id | undefined
  readonly filter: RunFilter
  /** The database of the run. Left out: that of the filter's component, or any. */
  readonly database?: Ids.DatabaseId | undefined
  /** A time limit cancels the run. Only the node that executes it can know. */
  readonly isLate?: boolean | undefined
}

export interface ResumeRequest extends RunMode {
  readonly snapshot: RunSnapshot
  /** The decision or input that the run resumes with. */
  readonly entry: Json.Object | undefined
  /** The claim of the request's idempotency key. */
  readonly claim?: string | undefined
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
  /** How long runs may continue when the engine is closed. */
  readonly drainTimeout: Duration.Input
  /** How much the engines of a node execute at once. */
  readonly admission?: RunAdmission.RunAdmission | undefined
  /** Seconds without a heartbeat after which other nodes take over the runs of a node. Undefined: never. */
  readonly nodeTimeout?: number | undefined
  /** The least time between two statements that store events. What happens meanwhile is shown that much later. */
  readonly eventInterval?: Duration.Input | undefined
}

export class RunEngine extends Context.Service<RunEngine, {
  /**
   * Returns when the run is stored as accepted; it is refused before that, or not at all. One that could see what
   * others in its session leave begins when these have ended.
   */
  readonly start: (
    command: RunCommand
  ) => Effect.Effect<
    RunHandle,
    ComponentOutdated | LimitReached | SessionNotFound | SessionBusy | RunExists | TooManyRuns | StorageUnavailable
  >
  /** Resumes a run that is paused or has failed. None when another request was faster. */
  readonly continue: (
    request: ResumeRequest
  ) => Effect.Effect<Option.Option<RunHandle>, LimitReached | StorageUnavailable>
  /**
   * Acquires the runs that this node was executing when it stopped, and returns their number when each of them is
   * executed again, released or ended. One that cannot be restored makes none of the others fail.
   */
  readonly recover: Effect.Effect<number, StorageUnavailable>
  /**
   * Waits until a run has ended or paused, and returns it. None if the caller can see no such run.
   */
  readonly output: (
    request: RunWatch.OutputRequest
  ) => Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable | RunHandedOver>
  /** Under which a run was executed last. None if there is no such run in the database of the engine. */
  readonly attemptOf: RunReading["Service"]["attemptOf"]
  /**
   * Cancels a run that has not ended, on any node, and returns whether it exists. The request of a caller with
   * unrestricted access for an unknown run is kept, and cancels the run when it is accepted. A paused run ends at once.
   */
  readonly cancel: (request: CancelRequest) => Effect.Effect<boolean, StorageUnavailable>
  /** Callers that wait for a run or watch one which another node executes get the error that it continues there. */
  readonly endFollowing: Effect.Effect<void>
  /**
   * Callers that wait for a run or watch one get the error that it resumes later, or elsewhere. The runs are handed
   * over.
   */
  readonly handOver: Effect.Effect<void>
  /** Whether the database replies and this node may execute runs. */
  readonly isAble: Effect.Effect<boolean>
  /** Fails when the database does not reply for some seconds. Whether a write was stored is unknown then. */
  readonly whileReplying: <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>
  /** For other work that is executed under leases. */
  readonly node: CurrentNode["Service"]
  /** The stored and the coming events of a run. None if the caller can see no such run. */
  readonly watch: (
    request: RunWatch.WatchRequest
  ) => Effect.Effect<Option.Option<RunWatch.Watched>, StorageUnavailable>
}>()("@svc-runtime/engine/run/engine/RunEngine") {
  static readonly layer = (
    options: RunEngineOptions
  ): Layer.Layer<CurrentNode | RunEngine, never, RunStore | Runners> =>
    Layer.effect(CurrentNode, RunEngine.useSync(({ node }) => node)).pipe(
      Layer.provideMerge(Layer.effect(RunEngine, EngineService.make)),
      Layer.provide(EngineService.parts(options))
    )
}

/** Undefined: the service's own. */
export const databaseOf = ({ snapshot }: ResumeRequest): Ids.DatabaseId | undefined => snapshot.database
