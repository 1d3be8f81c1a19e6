// What the run service needs to start a run.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Media from "@svc-runtime/domain/Media"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { LimitReached, RunExists, RunNotFound, SessionBusy, TooManyRuns } from "@svc-runtime/engine/run/RunErrors"
import type { Place } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import type { ComponentUnusable } from "../component/StoredComponentErrors.ts"
import type { FactoryFailure } from "../factory/FactoryErrors.ts"
import type { FactoryInput } from "../factory/FactoryInput.ts"
import type { Caller } from "./Caller.ts"
import type { ComponentRef } from "./Components.ts"
import type { RunOptions } from "./RunOptions.ts"
import type {
  ComponentNotFound,
  EvaluationForbidden,
  FactoryInputTooLarge,
  InputTooLarge,
  InvalidInput,
  OptionNotOffered,
  ReservedUserId,
  RunForbidden
} from "./RunServiceErrors.ts"

export interface StartRequest {
  readonly component: ComponentRef
  readonly caller: Caller
  readonly message: string
  readonly media?: Media.Media | undefined
  /** A new one when left out. */
  readonly run_id?: string | undefined
  /** The caller repeats the request under the `run_id` until it is known whether the run is stored. */
  readonly isRepeated?: boolean | undefined
  /** What to do if a run that the caller may not see has this id. A refusal shows that there is such a run. */
  readonly onHiddenId?: "refuse" | "newId" | undefined
  /** A new one when left out. */
  readonly session_id?: string | undefined
  /** Where the run is in the tree of its session. It overrides the option `previous_run_id`. */
  readonly place?: Place | undefined
  /** The version of a stored component. The current one when left out. */
  readonly version?: number | undefined
  /** The credential of the caller overrides it. */
  readonly user_id?: Ids.UserId | undefined
  readonly factoryInput: FactoryInput
  readonly options: RunOptions
}

export type StartError =
  | ComponentNotFound
  | ComponentUnusable
  | EvaluationForbidden
  | FactoryFailure
  | FactoryInputTooLarge
  | InputTooLarge
  | InvalidInput
  | LimitReached
  | OptionNotOffered
  | ReservedUserId
  | RunExists
  | RunForbidden
  | RunNotFound
  | SessionBusy
  | SessionNotFound
  | StorageUnavailable
  | TooManyRuns
