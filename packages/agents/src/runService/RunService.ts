// The one way to act on runs, for every transport and for the service itself. Transports map their wire format to its
// requests, and its results and errors back.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import type { IdempotencyKey, IdempotencyKeyReused } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { Watched } from "@svc-runtime/engine/run/events/RunWatch"
import type { RunHandedOver, RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import type { FoundRuns, PlacedRun } from "@svc-runtime/engine/run/store/RunReads"
import { StoredRuns } from "@svc-runtime/engine/run/store/StoredRuns"
import type { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { Context, Effect, Layer, Option } from "effect"
import type { AgentRegistry } from "../agent/define/AgentRegistry.ts"
import type { StoredComponents } from "../component/StoredComponents.ts"
import type { FactoryFailure } from "../factory/FactoryErrors.ts"
import { FactoryResolver } from "../factory/FactoryResolver.ts"
import type { TeamRegistry } from "../team/TeamRegistry.ts"
import type { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import { ClaimedFields } from "./ClaimedFields.ts"
import * as Components from "./Components.ts"
import type { ContinueError, ContinueRequest } from "./ContinueRequest.ts"
import * as EditedArguments from "./EditedArguments.ts"
import * as RunContinue from "./RunContinue.ts"
import * as RunPermission from "./RunPermission.ts"
import type {
  ComponentNotFound,
  FactoryInputTooLarge,
  LimitedToSession,
  NothingToFork,
  RunForbidden,
  SessionIdRequired
} from "./RunServiceErrors.ts"
import * as RunStart from "./RunStart.ts"
import type { StartError, StartRequest } from "./StartRequest.ts"
import type { RepeatedRun } from "./StoredRun.ts"
import { VersionShares } from "./VersionShares.ts"
import * as VisibleRuns from "./VisibleRuns.ts"

export interface RunServiceOptions {
  /** How many bytes of text a factory's input may have. */
  readonly factoryInputBytes: number
  /** How many JSON values the message of a component with an input schema may have. */
  readonly jsonValues: number
}

export class RunService extends Context.Service<RunService, {
  /** Returns when the run is stored as accepted. */
  readonly start: (request: StartRequest) => Effect.Effect<RunHandle, StartError>
  /** Starts the run once: a repeated request with the same key gets the run that the first one started. */
  readonly startOnce: (
    request: StartRequest,
    key: IdempotencyKey
  ) => Effect.Effect<RunHandle | RepeatedRun, StartError | IdempotencyKeyReused>
  /**
   * Resumes a paused run with decisions, and a failed one from its last finished step. A run that has ended is forked,
   * if the request says how.
   */
  readonly continue: (request: ContinueRequest) => Effect.Effect<RunHandle | RepeatedRun, ContinueError>
  /** Why an active run cannot be continued: `CANCELLED` as soon as its cancellation was requested. */
  readonly refusingStatus: (query: VisibleRuns.RunQuery) => Effect.Effect<Run.Status, RunNotFound | StorageUnavailable>
  /** Whether an earlier request with the key has resumed the run. */
  readonly wasContinued: (
    query: VisibleRuns.RunQuery,
    key: IdempotencyKey
  ) => Effect.Effect<boolean, ComponentNotFound | IdempotencyKeyReused | RunNotFound | StorageUnavailable>
  /** A factory may refuse a caller who wants to read runs of its component. */
  readonly authorizeRead: (
    request: VisibleRuns.ReadPermission
  ) => Effect.Effect<void, ComponentNotFound | FactoryFailure | FactoryInputTooLarge | StorageUnavailable>
  /** The runs of a session, in the order of acceptance, or those of a component, the last changed one last. */
  readonly list: (
    request: VisibleRuns.ListRequest
  ) => Effect.Effect<
    ReadonlyArray<AnyRun.Output>,
    ResponseTooLarge | ComponentNotFound | RunForbidden | SessionNotFound | StorageUnavailable
  >
  /** Runs of one component in all sessions, the last changed one first. */
  readonly search: (
    request: VisibleRuns.SearchRequest
  ) => Effect.Effect<FoundRuns, ComponentNotFound | RunForbidden | StorageUnavailable>
  /** Where root runs are in the tree of a session that the caller can read, in the order of acceptance. */
  readonly places: (
    request: VisibleRuns.PlacesRequest
  ) => Effect.Effect<ReadonlyArray<PlacedRun>, RunForbidden | StorageUnavailable>
  /** The run as it is now. A run that has not ended has the messages of its finished steps. */
  readonly get: (
    query: VisibleRuns.RunQuery
  ) => Effect.Effect<AnyRun.Output, ComponentNotFound | RunForbidden | RunNotFound | StorageUnavailable>
  /** The run with what was decided about it, also while it executes after that. */
  readonly decided: (
    query: VisibleRuns.RunQuery
  ) => Effect.Effect<AnyRun.Output, ComponentNotFound | RunForbidden | RunNotFound | StorageUnavailable>
  /** Runs of whichever components, without messages: the first ones that fit, of the runs that the caller may see. */
  readonly outlines: (
    request: VisibleRuns.OutlinesRequest
  ) => Effect.Effect<ReadonlyArray<AnyRun.Output>, StorageUnavailable>
  /** The run when it has ended or paused, which is waited for. */
  readonly output: (
    query: VisibleRuns.RunQuery
  ) => Effect.Effect<
    AnyRun.Output,
    ComponentNotFound | RunForbidden | RunHandedOver | RunNotFound | StorageUnavailable
  >
  /** The events of a run, those stored and those to come. */
  readonly watch: (
    query: VisibleRuns.WatchQuery
  ) => Effect.Effect<
    Watched,
    ComponentNotFound | RunForbidden | RunNotFound | SessionIdRequired | StorageUnavailable
  >
  /** Requests the end of a run. False if there is no such run yet: it is cancelled if it starts later. */
  readonly cancel: (
    query: VisibleRuns.CancelQuery
  ) => Effect.Effect<
    boolean,
    ComponentNotFound | RunForbidden | RunNotFound | SessionIdRequired | StorageUnavailable
  >
  /** Copies the ended and paused runs of a session to a new session, and gives its id. */
  readonly fork: (
    request: VisibleRuns.ForkRequest
  ) => Effect.Effect<
    Session.Id,
    ComponentNotFound | LimitedToSession | NothingToFork | SessionNotFound | StorageUnavailable
  >
}>()("@svc-runtime/agents/runService/RunService") {
  static readonly layer = (
    { factoryInputBytes, jsonValues }: RunServiceOptions
  ): Layer.Layer<
    RunService,
    never,
    | AgentRegistry
    | ApprovalStore
    | ClaimedFields
    | FactoryResolver
    | IdempotencyStore
    | RunEngine
    | RunPermission.RunScopes
    | StoreLimits
    | StoredComponents
    | StoredRuns
    | TeamRegistry
    | WorkflowRegistry
  > =>
    Layer.effect(
      RunService,
      Effect.gen(function*() {
        const dependencies = {
          approvals: yield* ApprovalStore,
          claimed: yield* ClaimedFields,
          scopes: yield* RunPermission.RunScopes,
          components: yield* Components.current,
          edited: yield* EditedArguments.make,
          engine: yield* RunEngine,
          idempotency: yield* IdempotencyStore,
          maxValues: jsonValues,
          responseLimit: (yield* StoreLimits).response,
          runs: yield* StoredRuns,
          shares: Option.getOrUndefined(yield* Effect.serviceOption(VersionShares)),
          resolution: { resolver: yield* FactoryResolver, maxInputBytes: factoryInputBytes }
        }
        return RunService.of({
          ...RunStart.make(dependencies),
          ...RunContinue.make(dependencies),
          ...VisibleRuns.make(dependencies)
        })
      })
    )
}
