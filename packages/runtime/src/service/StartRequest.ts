// What the run service needs to start a run, and what it gives.
import type { AnyRun, ComponentKind, Ids, Media, Run, Session, StorageUnavailable } from "@svc/domain"
import type { Effect, Option } from "effect"
import type { FactoryFailure } from "../factory/FactoryErrors.ts"
import type { FactoryInput } from "../factory/FactoryInput.ts"
import type { RunExists, RunHandedOver, SessionBusy, TooManyRuns } from "../run/RunErrors.ts"
import type { RunHandle } from "../run/RunHandle.ts"
import type { Watched } from "../run/RunWatch.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import type { Caller } from "./Caller.ts"
import type { ComponentRef } from "./Components.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { ComponentNotFound, FactoryInputTooLarge, InvalidInput, ReservedUserId } from "./RunServiceErrors.ts"

export interface StartRequest {
  readonly component: ComponentRef
  readonly caller: Caller
  readonly message: string
  readonly media?: Media.Media | undefined
  /** A new one when left out. */
  readonly run_id?: string | undefined
  /** A new one when left out. */
  readonly session_id?: string | undefined
  /** The credential of the caller overrides it. */
  readonly user_id?: Ids.UserId | undefined
  readonly factoryInput: FactoryInput
  readonly options: RunOptions
}

export interface RunRef {
  readonly kind: ComponentKind.ComponentKind
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

/** A run that this request started. */
export interface StartedRun {
  readonly _tag: "Started"
  readonly run: RunRef
  readonly handle: RunHandle
}

/** A run that an earlier request with the same idempotency key started. */
export interface RepeatedRun {
  readonly _tag: "Repeated"
  readonly run: RunRef
  readonly watched: Watched
  /** None when it was deleted meanwhile. */
  readonly output: Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable | RunHandedOver>
}

export type StartError =
  | ComponentNotFound
  | FactoryFailure
  | FactoryInputTooLarge
  | InvalidInput
  | ReservedUserId
  | RunExists
  | SessionBusy
  | SessionNotFound
  | StorageUnavailable
  | TooManyRuns
