// What a factory is told about the request that wants a component.
import type { Ids, Json, Run, Session } from "@svc/domain"
import type { HttpServerRequest } from "effect/http"
import type { Returned } from "../usercode/UserCode.ts"

/** What the service has verified. Nothing that a caller merely says gets in here. */
export interface Trusted {
  /** Of the token; empty where no token was needed. */
  readonly claims: Json.Object
  readonly scopes: ReadonlySet<string>
}

export const untrusted: Trusted = { claims: {}, scopes: new Set() }

/** A stored run that is resumed or forked, as it was begun. */
export interface FactoryRun {
  readonly id: Run.Id
  readonly userId: Ids.UserId | null
  readonly sessionId: Session.Id
}

/** For whom, and by whom, a component is wanted. */
export interface FactoryCaller {
  /** The token's, else the request's, else null. */
  readonly userId: Ids.UserId | null
  /** Null when the request names none: the run's own is made later. */
  readonly sessionId: string | null
  readonly trusted: Trusted
  /** As it came in; null where there is none, as on a socket or for a run that goes on after a restart. */
  readonly request: HttpServerRequest.HttpServerRequest | null
  /** Left out for a new run. */
  readonly run?: FactoryRun | undefined
}

/** What a factory is told about the run that its component is to resume. */
export const factoryRun = (
  { run_id, session_id, user_id }: {
    readonly run_id: Run.Id
    readonly session_id: Session.Id
    readonly user_id: Ids.UserId | null
  }
): FactoryRun => ({ id: run_id, userId: user_id, sessionId: session_id })

export interface FactoryContext<Input> extends Omit<FactoryCaller, "run"> {
  /** The factory's own, which the component gets as well. */
  readonly id: string
  /** `factory_input`, checked. Null when nothing was sent to a factory without a schema, and when a run is continued. */
  readonly input: Input | null
  /** The stored run that is resumed; null for a new run. Its user may be another one than the caller, `userId`. */
  readonly run: FactoryRun | null
  /** Aborted when the component is not needed any more: its run has ended, was refused, or the factory took too long. */
  readonly signal: AbortSignal
  /** Called at that moment, the last one first. */
  readonly onClose: (close: () => Returned<unknown>) => void
}
