// The context of a factory: the request that needs a component.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import type { HttpServerRequest } from "effect/http"

/** Verified facts only, never values that a caller merely sends. */
export interface Trusted {
  /** Of the token; empty without one. */
  readonly claims: Json.Object
  readonly scopes: ReadonlySet<string>
}

export const untrusted: Trusted = { claims: {}, scopes: new Set() }

/** A stored run that is resumed or forked, as it was started. */
export interface FactoryRun {
  readonly id: Run.Id
  readonly userId: Ids.UserId | null
  readonly sessionId: Session.Id
}

/** The caller and the request of a build. */
export interface FactoryCaller {
  /** The token's, else the request's, else null. */
  readonly userId: Ids.UserId | null
  /** Null if the request has none: the run gets its own later. */
  readonly sessionId: string | null
  readonly trusted: Trusted
  /** The original request; null on a socket or for a run that resumes after a restart. */
  readonly request: HttpServerRequest.HttpServerRequest | null
  /** The `metadata` of the request, or of the stored run: unverified, as it was sent. */
  readonly metadata?: Json.Object | undefined
  /** Left out for a new run. */
  readonly run?: FactoryRun | undefined
}

/** The stored run that the component resumes. */
export const factoryRun = (
  { run_id, session_id, user_id }: {
    readonly run_id: Run.Id
    readonly session_id: Session.Id
    readonly user_id: Ids.UserId | null
  }
): FactoryRun => ({ id: run_id, userId: user_id, sessionId: session_id })

export interface FactoryContext<Input> extends Omit<FactoryCaller, "metadata" | "run"> {
  /** The id of the factory and of its component. */
  readonly id: string
  /** The validated `factory_input`. Null without input and schema, and for most runs that a caller continues. */
  readonly input: Input | null
  /** The `metadata` of the request, or of the stored run: unverified, as it was sent. */
  readonly metadata: Json.Object
  /** The stored run that is resumed; null for a new run. Its user can differ from the caller, `userId`. */
  readonly run: FactoryRun | null
  /** Aborted when the component is no longer needed: its run ended or was refused, or the factory timed out. */
  readonly signal: AbortSignal
  /** Called at that time, in reverse order. */
  readonly onClose: (close: () => Returned<unknown>) => void
}
