// Turns a credential into a principal, for every transport. The mode of the service selects the credential: tokens,
// then the security key, then none.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tenant from "@svc-runtime/domain/Tenant"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { isAccountToken } from "./AccountToken.ts"
import { CredentialMissing, KeyRejected, type TokenRejected } from "./AuthErrors.ts"
import type { AuthSettings } from "./AuthSettings.ts"
import * as FailedAttempts from "./FailedAttempts.ts"
import * as InternalToken from "./InternalToken.ts"
import { isSameSecret } from "./isSameSecret.ts"
import { allScopesOf, type Claims, toPrincipal } from "./JwtClaims.ts"
import { Roles } from "./Roles.ts"
import { type InvalidAccountToken, TooManyAttempts } from "./ServiceAccountErrors.ts"
import { ServiceAccounts } from "./ServiceAccounts.ts"
import { TokenVerifier } from "./TokenVerifier.ts"

export type AuthenticationFailure =
  | CredentialMissing
  | KeyRejected
  | TokenRejected
  | InvalidAccountToken
  | TooManyAttempts
  | StorageUnavailable

/** The scopes of the service when it calls itself to run schedules. */
const internalScopes = [
  ...Scope.perResource.flatMap((resource) => [`${resource}:read`, `${resource}:run`]),
  "schedules:read",
  "schedules:write",
  "schedules:delete"
]

const internal = (settings: AuthSettings) => (author: Ids.UserId | null): Principal.Principal => ({
  ...Principal.open,
  tenant: author === null ? undefined : Tenant.of(author),
  credential: "internal",
  user_id: Principal.schedulerFor(author),
  grants: Scope.grants(internalScopes, settings.adminScope),
  isScoped: settings.enforceScopes,
  // an author is isolated, also a service account on a service that isolates no users
  isIsolated: settings.userIsolation || author !== null
})

/** The same limits as those of the user's own credential. Without tokens, only an open service knows no limits. */
const absentee = ({ enforceScopes, mode, userIsolation }: AuthSettings, user_id: Ids.UserId) => {
  const tenant = Tenant.of(user_id)
  const isAccount = ServiceAccount.nameOf(Ids.UserId.make(Tenant.within(user_id))) !== undefined
  return (grants: Scope.Grants): Principal.Principal =>
    Principal.inTenant({
      ...Principal.person(user_id, grants),
      tenant: undefined,
      grants,
      isScoped: isAccount || (mode === "jwt" && enforceScopes),
      isIsolated: isAccount || mode === "jwt" ? (isAccount || userIsolation) && !grants.isAdmin : mode !== "none"
    }, tenant)
}

const missing = ({ cookieName, mode, tokenSource }: AuthSettings) =>
  new CredentialMissing({
    message: mode === "security_key"
      ? "Authorization header required"
      : tokenSource === "header"
      ? "Authorization header missing"
      : tokenSource === "cookie"
      ? `JWT cookie '${cookieName}' missing`
      : `JWT token missing from both Authorization header and '${cookieName}' cookie`
  })

export class Authenticator extends Context.Service<Authenticator, {
  readonly settings: AuthSettings
  /** `address` is the client's address: failures are counted per address. */
  readonly authenticate: (
    token: Redacted.Redacted | undefined,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, AuthenticationFailure>
  /** The same for a route that responds while the database does not reply. */
  readonly authenticateInOutage: (
    token: Redacted.Redacted | undefined,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, AuthenticationFailure>
  /** The same for a token that is sent for authentication explicitly: an invalid one is always rejected. */
  readonly authenticatePresented: (
    token: Redacted.Redacted,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, AuthenticationFailure>
  /** Verifies an accepted token again, for each event of an open stream or socket. */
  readonly reauthenticate: (
    token: Redacted.Redacted,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, AuthenticationFailure>
  /** The caller on an open route of a closed service: without a name, and isolated. */
  readonly excluded: Principal.Principal
  /** The service when it executes schedules. Without authentication it has no name. */
  readonly scheduler: Principal.Principal
  /** The same for schedules of this author. */
  readonly schedulerFor: (author: Ids.UserId | null) => Principal.Principal
  /**
   * A user for whom something acts that a credential with these scopes has confirmed, with what they grant now. None:
   * it is a service account that was revoked or has expired.
   */
  readonly absent: (
    user_id: Ids.UserId,
    scopes: ReadonlyArray<string>
  ) => Effect.Effect<Option.Option<Principal.Principal>, StorageUnavailable>
}>()("@svc-runtime/auth/Authenticator") {
  static readonly layer = (
    settings: AuthSettings
  ): Layer.Layer<Authenticator, never, Roles | TokenVerifier | ServiceAccounts> =>
    Layer.effect(Authenticator, make(settings))
}

const make = Effect.fnUntraced(function*(settings: AuthSettings) {
  const accounts = yield* ServiceAccounts
  const roles = yield* Roles
  const verifier = yield* TokenVerifier
  const { internalToken, mode, securityKey } = settings
  const itself = internal(settings)
  const nothing = missing(settings)
  const wrongKey = new KeyRejected()
  const failures = yield* FailedAttempts.share()

  const refuseKey = Effect.fnUntraced(function*(address: string | undefined) {
    return yield* failures.isTooMany(address, yield* Monotonic.millis) ? new TooManyAttempts() : wrongKey
  })

  // The verifier returns the same object for the same token, so the principal is cached with it.
  const principals = new WeakMap<Claims, Effect.Effect<Principal.Principal, StorageUnavailable>>()
  const principalOf = (claims: Claims) => {
    const known = principals.get(claims)
    if (known !== undefined) return known
    const principal = roles.derive(
      allScopesOf(claims, settings.jwt),
      (grants) => toPrincipal(claims, settings, grants)
    )
    principals.set(claims, principal)
    return principal
  }

  type OfAccount = (typeof accounts)["authenticate"]

  const authenticateOpen = (
    ofAccount: OfAccount,
    token: Redacted.Redacted | undefined,
    address: string | undefined
  ) =>
    token === undefined || !isAccountToken(token)
      ? Effect.succeed(Principal.open)
      // A token without claims counts as none on a service without authentication.
      : Effect.catch(ofAccount(token, address), () => Effect.succeed(Principal.open))

  const authenticateBy = (ofAccount: OfAccount) =>
  (
    token: Redacted.Redacted | undefined,
    address: string | undefined
  ): Effect.Effect<Principal.Principal, AuthenticationFailure> => {
    if (mode === "none") return authenticateOpen(ofAccount, token, address)
    if (token === undefined) return Effect.fail(nothing)
    // Never used as another credential, in any mode.
    if (isAccountToken(token)) return ofAccount(token, address)
    const author = internalToken === undefined ? undefined : InternalToken.authorOf(token, internalToken)
    if (author !== undefined) return Effect.succeed(itself(author))
    if (mode === "jwt") return Effect.flatMap(verifier.verify(token), principalOf)
    return securityKey !== undefined && isSameSecret(token, securityKey)
      ? Effect.succeed(Principal.securityKey)
      : refuseKey(address)
  }

  const authenticate = authenticateBy(accounts.authenticate)
  const schedulerFor = mode === "none" ? () => Principal.open : itself

  return Authenticator.of({
    settings,
    authenticate,
    authenticateInOutage: authenticateBy(accounts.authenticateInOutage),
    authenticatePresented: (token, address) =>
      isAccountToken(token) ? accounts.authenticate(token, address) : authenticate(token, address),
    reauthenticate: (token, address) =>
      isAccountToken(token) ? accounts.reauthenticate(token, address) : authenticate(token, address),
    excluded: { ...Principal.open, isIsolated: mode !== "none" && settings.userIsolation },
    absent: Effect.fnUntraced(function*(user_id, scopes) {
      if (!(yield* accounts.isActive(user_id))) return Option.none()
      return Option.some(yield* roles.derive(scopes, absentee(settings, user_id)))
    }),
    scheduler: schedulerFor(null),
    schedulerFor
  })
})
