// A request that continues a run, with the stored run, its component and its factory.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Continuation } from "@svc-runtime/engine/run/Continuation"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunRef } from "@svc-runtime/engine/run/RunHandle"
import type { RunFilter, RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import type { Effect, Scope } from "effect"
import type { ComponentUnusable } from "../component/StoredComponentErrors.ts"
import type { FactoryFailure } from "../factory/FactoryErrors.ts"
import type { Resolved } from "../factory/FactoryResolver.ts"
import type { AnyComponent } from "./Components.ts"
import type { ContinueClaim } from "./ContinueClaim.ts"
import type { ContinueRequest } from "./ContinueRequest.ts"
import type { ComponentNotFound, FactoryInputTooLarge } from "./RunServiceErrors.ts"

export interface Continuing {
  readonly request: ContinueRequest
  readonly continuation: Continuation
  readonly filter: RunFilter
  readonly run: RunSnapshot
  readonly claim: ContinueClaim
  /** Its factory, if it has one, is called for a run that is resumed or forked. */
  readonly component: Effect.Effect<
    Resolved<AnyComponent>,
    | ComponentNotFound
    | ComponentUnusable
    | ContinueRejected
    | FactoryFailure
    | FactoryInputTooLarge
    | StorageUnavailable,
    Scope.Scope
  >
}

/** The run that the request resumes or starts. */
export const subjectOf = ({ claim: { subject }, run: { kind } }: Continuing): RunRef => ({ kind, ...subject })
