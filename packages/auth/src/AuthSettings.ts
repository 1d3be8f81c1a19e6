// How callers are recognised, decided once when the service starts.
import { Scope, type Service } from "@svc/domain"
import type { Redacted } from "effect"
import type { Algorithm } from "./Algorithm.ts"

export interface JwtSettings {
  /** Public keys in PEM, or shared secrets, as the algorithm has them. */
  readonly verificationKeys: ReadonlyArray<Redacted.Redacted>
  /** JSON Web Key Sets (RFC 7517). They are read again when they change. */
  readonly jwksFiles: ReadonlyArray<string>
  /** The one that is accepted, whatever a token says of itself. */
  readonly algorithm: Algorithm
  /** A token has to name one of these; undefined when its audience is not looked at. */
  readonly audience: ReadonlyArray<string> | undefined
  readonly issuer: string | undefined
  /** By how much clocks may differ. */
  readonly clockToleranceSeconds: number
  /** What the claims are called. */
  readonly scopesClaim: string
  readonly userIdClaim: string
  readonly sessionIdClaim: string
  readonly audienceClaim: string
  /** Claims that go into runs, over the dependencies and the session state of the request. */
  readonly dependenciesClaims: ReadonlyArray<string>
  readonly sessionStateClaims: ReadonlyArray<string>
}

export interface AuthSettings {
  readonly mode: Service.AuthMode
  /** Whether the scopes of tokens are enforced. Those of service accounts always are. */
  readonly enforceScopes: boolean
  /** Whether users are kept apart. Service accounts always are. */
  readonly userIsolation: boolean
  /** The scope that allows everything. */
  readonly adminScope: string
  readonly securityKey: Redacted.Redacted | undefined
  /** What the service sends to itself. */
  readonly internalToken: Redacted.Redacted | undefined
  readonly tokenSource: "header" | "cookie" | "both"
  readonly tokenHeader: string
  readonly cookieName: string
  readonly jwt: JwtSettings
}

export const defaultJwt: JwtSettings = {
  verificationKeys: [],
  jwksFiles: [],
  algorithm: "RS256",
  audience: undefined,
  issuer: undefined,
  clockToleranceSeconds: 10,
  scopesClaim: "scopes",
  userIdClaim: "sub",
  sessionIdClaim: "session_id",
  audienceClaim: "aud",
  dependenciesClaims: [],
  sessionStateClaims: []
}

/** A service that asks nobody who they are. */
export const open: AuthSettings = {
  mode: "none",
  enforceScopes: false,
  userIsolation: false,
  adminScope: Scope.defaultAdmin,
  securityKey: undefined,
  internalToken: undefined,
  tokenSource: "header",
  tokenHeader: "authorization",
  cookieName: "access_token",
  jwt: defaultJwt
}
