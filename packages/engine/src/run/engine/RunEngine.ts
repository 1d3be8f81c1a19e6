// Accepts runs and executes them. A run belongs to the engine, not to the request that started it: neither a disconnect
// of its client nor the end of this process ends it. An engine that is closed waits for its runs up to a limit, and
// hands over the others. They resume after their last finished step, on any node or after a restart.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, Layer, type Option } from "effect"
import { CurrentNode } from "../../node/CurrentNode.ts"
import type { Notifications } from "../../node/Notifications.ts"
import type { JobSignal, RunEndSignal, RunResumeSignal } from "../../signals/Signals.ts"
import type * as RunWatch from "../events/RunWatch.ts"
import type { RunHandedOver } from "../RunErrors.ts"
import type { Runners } from "../Runners.ts"
import type { RunReading } from "../store/RunReading.ts"
import type { RunStore } from "../store/RunStore.ts"
import type { CancelRequest, Continue, ResumeRequest, Start } from "./EngineRequests.ts"
import * as EngineService from "./EngineService.ts"
import type { RunEngineOptions } from "./EngineSettings.ts"
import type { Guest } from "./Guest.ts"
import type { JoinFailed } from "./JoinFailed.ts"

export type { RunEngineOptions }

export class RunEngine extends Context.Service<RunEngine, {
  /**
   * Returns when the run is stored as accepted; it is refused before that, or not at all. One that could see what
   * others in its session leave begins when these have ended.
   */
  readonly start: Start
  /** Resumes a run that is paused or has failed. None when another request was faster. */
  readonly continue: Continue
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
  /** Whether the database replies. */
  readonly isReplying: Effect.Effect<boolean>
  /** Whether the database replies and stores, and this node may execute runs. */
  readonly isAble: Effect.Effect<boolean>
  /** Fails when the database does not reply for some seconds. Whether a write was stored is unknown then. */
  readonly whileReplying: <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>
  /** The paused runs that this process resumes, if it executes no others. Undefined: those of all nodes. */
  readonly guest?: Guest | undefined
  /** For other work that is executed under leases. */
  readonly node: CurrentNode["Service"]
  /** The stored and the coming events of a run. None if the caller can see no such run. */
  readonly watch: (
    request: RunWatch.WatchRequest
  ) => Effect.Effect<Option.Option<RunWatch.Watched>, StorageUnavailable>
}>()("@svc-runtime/engine/run/engine/RunEngine") {
  static readonly layer = (
    options: RunEngineOptions
  ): Layer.Layer<
    CurrentNode | RunEngine,
    never,
    JobSignal | JoinFailed | Notifications | RunEndSignal | RunResumeSignal | RunStore | Runners
  > =>
    Layer.effect(CurrentNode, RunEngine.useSync(({ node }) => node)).pipe(
      Layer.provideMerge(Layer.effect(RunEngine, EngineService.make)),
      Layer.provide(EngineService.parts(options))
    )
}

/** Undefined: the service's own. */
export const databaseOf = ({ snapshot }: ResumeRequest): Ids.DatabaseId | undefined => snapshot.database
