// What the run service needs to continue a run.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunOption from "@svc-runtime/domain/RunOption"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { IdempotencyKey, IdempotencyKeyReused } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { SentDecisions } from "@svc-runtime/engine/run/Continuation"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { InheritedOptions } from "@svc-runtime/engine/run/InheritedOptions"
import type { LimitReached, RunExists, RunNotFound, SessionBusy, TooManyRuns } from "@svc-runtime/engine/run/RunErrors"
import type { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import type { ForkRequest } from "../agent/continue/AgentFork.ts"
import type { ComponentUnusable } from "../component/StoredComponentErrors.ts"
import type { FactoryFailure } from "../factory/FactoryErrors.ts"
import type { FactoryInput } from "../factory/FactoryInput.ts"
import type { Caller } from "./Caller.ts"
import type { ComponentRef } from "./Components.ts"
import type {
  ComponentNotFound,
  FactoryInputTooLarge,
  ReservedUserId,
  RunForbidden,
  SessionIdRequired
} from "./RunServiceErrors.ts"

/** A new run that starts with messages of the run. */
export interface ForkOptions
  extends Pick<ForkRequest, "from" | "regenerate">, RunOption.Values<typeof RunOption.given>, InheritedOptions
{
  /** Forks a run that could be resumed, too. */
  readonly fork: boolean
  /** Whether the original of a regenerated run leaves the history. */
  readonly replaceOriginal: boolean
}

export interface ContinueRequest {
  readonly component: ComponentRef
  readonly caller: Caller
  readonly run_id: Run.Id
  /** The credential of the caller overrides it. */
  readonly session_id: string | undefined
  /** For a factory only: the run stays with its user. */
  readonly user_id: Ids.UserId | undefined
  /** Of workflows only: the others take none from a request. */
  readonly factoryInput?: FactoryInput
  readonly decisions: SentDecisions
  /** Added for the model, after the answers of its calls. */
  readonly input: string | undefined
  /** Of the input. */
  readonly media?: Media.Media | undefined
  /** Changes the metadata of the run from here on. */
  readonly metadata?: Json.Object | undefined
  /** Undefined: a run that has ended is not forked, and its result is given. */
  readonly fork: ForkOptions | undefined
  readonly stream: boolean
  readonly background: boolean
  /** A repeated request with the same key gets the run that the first one resumed or started. */
  readonly key?: IdempotencyKey | undefined
}

export type ContinueError =
  | ComponentNotFound
  | ComponentUnusable
  | ContinueRejected
  | FactoryFailure
  | FactoryInputTooLarge
  | IdempotencyKeyReused
  | LimitReached
  | ReservedUserId
  | RunExists
  | RunForbidden
  | RunNotFound
  | SessionBusy
  | SessionIdRequired
  | SessionNotFound
  | StorageUnavailable
  | TooManyRuns
