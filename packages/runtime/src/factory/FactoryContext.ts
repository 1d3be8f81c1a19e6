// What a factory is told about the request that wants a component.
import type { Ids, Json } from "@svc/domain"
import type { HttpServerRequest } from "effect/http"
import type { Returned } from "../tool/AuthorCode.ts"

/** What the service has verified. Nothing that a caller merely says gets in here. */
export interface Trusted {
  /** Of the token; empty where no token was needed. */
  readonly claims: Json.Object
  readonly scopes: ReadonlySet<string>
}

export const untrusted: Trusted = { claims: {}, scopes: new Set() }

/** For whom, and by whom, a component is wanted. */
export interface FactoryCaller {
  /** The token's, else the request's, else null. */
  readonly userId: Ids.UserId | null
  /** Null when the request names none: the run's own is made later. */
  readonly sessionId: string | null
  readonly trusted: Trusted
  /** As it came in; null where there is none, as on a socket or for a run that goes on after a restart. */
  readonly request: HttpServerRequest.HttpServerRequest | null
}

export interface FactoryContext<Input> extends FactoryCaller {
  /** The factory's own, which the component gets as well. */
  readonly id: string
  /** `factory_input`, checked. Null when nothing was sent to a factory without a schema, and when a run is continued. */
  readonly input: Input | null
  /** Aborted when the component is not needed any more: its run has ended, was refused, or the factory took too long. */
  readonly signal: AbortSignal
  /** Called at that moment, the last one first. */
  readonly onClose: (close: () => Returned<unknown>) => void
}
