// From a credential to a principal, for every transport alike. Which credentials there are, and which of them counts, is
// decided by the mode of the service: tokens before the security key before nothing at all.
import { Ids, Principal, Scope, type StorageUnavailable } from "@svc/domain"
import { Context, Effect, Layer, type Redacted } from "effect"
import { isAccountToken } from "./AccountToken.ts"
import { CredentialMissing, KeyRejected } from "./AuthErrors.ts"
import type { AuthSettings } from "./AuthSettings.ts"
import { isSameSecret } from "./isSameSecret.ts"
import { type Claims, toPrincipal } from "./JwtClaims.ts"
import type { InvalidAccountToken, TooManyAttempts } from "./ServiceAccountErrors.ts"
import { ServiceAccounts } from "./ServiceAccounts.ts"
import type { TokenRejected } from "./TokenRejected.ts"
import { TokenVerifier } from "./TokenVerifier.ts"

export type AuthenticationFailure =
  | CredentialMissing
  | KeyRejected
  | TokenRejected
  | InvalidAccountToken
  | TooManyAttempts
  | StorageUnavailable

/** What the service may do when it calls itself to run what is due. */
const internalScopes = [
  ...Scope.perResource.flatMap((resource) => [`${resource}:read`, `${resource}:run`]),
  "schedules:read",
  "schedules:write",
  "schedules:delete"
]

const internal = (settings: AuthSettings): Principal.Principal => ({
  ...Principal.open,
  credential: "internal",
  user_id: Ids.UserId.make("__scheduler__"),
  grants: Scope.grants(internalScopes, settings.adminScope),
  isScoped: settings.enforceScopes,
  isIsolated: settings.userIsolation
})

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
  /** `address` is where the call comes from: failures are counted by it. */
  readonly authenticate: (
    token: Redacted.Redacted | undefined,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, AuthenticationFailure>
  /** The same for a token that is shown on purpose, and not sent along: one that is not good is never passed over. */
  readonly authenticatePresented: (
    token: Redacted.Redacted,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, AuthenticationFailure>
  /** A token that was accepted, asked again for each event of an open stream or socket. */
  readonly reauthenticate: (
    token: Redacted.Redacted,
    address: string | undefined
  ) => Effect.Effect<Principal.Principal, AuthenticationFailure>
  /** Of a route that asks for nothing on a service that does: known to nobody, and kept apart as everybody is. */
  readonly excluded: Principal.Principal
}>()("@svc/auth/Authenticator") {
  static readonly layer = (
    settings: AuthSettings
  ): Layer.Layer<Authenticator, never, TokenVerifier | ServiceAccounts> => Layer.effect(Authenticator, make(settings))
}

const make = Effect.fnUntraced(function*(settings: AuthSettings) {
  const accounts = yield* ServiceAccounts
  const verifier = yield* TokenVerifier
  const { internalToken, mode, securityKey } = settings
  const itself = internal(settings)
  const nothing = missing(settings)
  const wrongKey = new KeyRejected()

  // The verifier gives the same claims for the same token, so what is made of them is made once.
  const principals = new WeakMap<Claims, Principal.Principal>()
  const principalOf = (claims: Claims) => {
    const known = principals.get(claims)
    if (known !== undefined) return known
    const principal = toPrincipal(claims, settings)
    principals.set(claims, principal)
    return principal
  }

  const authenticateOpen = (token: Redacted.Redacted | undefined, address: string | undefined) =>
    token === undefined || !isAccountToken(token)
      ? Effect.succeed(Principal.open)
      // A token that says nothing is as good as none where nobody is asked for one.
      : Effect.catch(accounts.authenticate(token, address), () => Effect.succeed(Principal.open))

  const authenticate = (
    token: Redacted.Redacted | undefined,
    address: string | undefined
  ): Effect.Effect<Principal.Principal, AuthenticationFailure> => {
    if (mode === "none") return authenticateOpen(token, address)
    if (token === undefined) return Effect.fail(nothing)
    // Never taken for anything else, whatever the mode.
    if (isAccountToken(token)) return accounts.authenticate(token, address)
    if (internalToken !== undefined && isSameSecret(token, internalToken)) return Effect.succeed(itself)
    if (mode === "jwt") return Effect.map(verifier.verify(token), principalOf)
    return securityKey !== undefined && isSameSecret(token, securityKey)
      ? Effect.succeed(Principal.securityKey)
      : Effect.fail(wrongKey)
  }

  return Authenticator.of({
    settings,
    authenticate,
    authenticatePresented: (token, address) =>
      isAccountToken(token) ? accounts.authenticate(token, address) : authenticate(token, address),
    reauthenticate: (token, address) =>
      isAccountToken(token) ? accounts.reauthenticate(token, address) : authenticate(token, address),
    excluded: { ...Principal.open, isIsolated: mode !== "none" && settings.userIsolation }
  })
})
