// How callers are authenticated, decided at start.
import * as Scope from "@svc-runtime/domain/Scope"
import type * as Service from "@svc-runtime/domain/Service"
import type { Redacted } from "effect"
import type { Algorithm } from "./Algorithm.ts"

export interface JwtSettings {
  /** Public keys in PEM, or shared secrets, depending on the algorithm. */
  readonly verificationKeys: ReadonlyArray<Redacted.Redacted>
  /** JSON Web Key Sets (RFC 7517). They are read again after a change. */
  readonly jwksFiles: ReadonlyArray<string>
  /** The only accepted algorithm, whatever the token says. */
  readonly algorithm: Algorithm
  /** A token must name one of these; undefined if the audience is not checked. */
  readonly audience: ReadonlyArray<string> | undefined
  readonly issuer: string | undefined
  /** The tolerated difference of clocks. */
  readonly clockToleranceSeconds: number
  /** The names of the claims. */
  readonly scopesClaim: string
  readonly userIdClaim: string
  readonly sessionIdClaim: string
  readonly audienceClaim: string
  /** The claim with the tenant of the user, or the path to it. Undefined: there are no tenants. */
  readonly tenantClaim: string | undefined
  /** The claim with the groups of the user, or the path to it. Undefined: groups are not read. */
  readonly groupsClaim: string | undefined
  /** The roles of each group. */
  readonly groupRoles: ReadonlyMap<string, ReadonlyArray<string>>
  /** Claims that are passed to runs and win over the dependencies and the session state of the request. */
  readonly dependenciesClaims: ReadonlyArray<string>
  readonly sessionStateClaims: ReadonlyArray<string>
}

export interface AuthSettings {
  readonly mode: Service.AuthMode
  /** Whether the scopes of tokens are enforced. Those of service accounts always are. */
  readonly enforceScopes: boolean
  /** Whether users are isolated. Service accounts always are. */
  readonly userIsolation: boolean
  /** The scope that allows everything. */
  readonly adminScope: string
  readonly securityKey: Redacted.Redacted | undefined
  /** The credential with which the service calls itself. */
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
  tenantClaim: undefined,
  groupsClaim: undefined,
  groupRoles: new Map(),
  dependenciesClaims: [],
  sessionStateClaims: []
}

/** A service without authentication. */
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
