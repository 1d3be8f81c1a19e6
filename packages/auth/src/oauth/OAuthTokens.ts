// Access tokens of the authorization server that protects the MCP endpoint. A port: the server can be another one, or
// the service itself.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Principal from "@svc-runtime/domain/Principal"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer, type Redacted } from "effect"
import { invalid, invalidSubject, type TokenRejected } from "../AuthErrors.ts"
import type { JwtSettings } from "../AuthSettings.ts"
import * as Jwt from "../Jwt.ts"
import { allScopesOf, type Claims, tenantOf } from "../JwtClaims.ts"
import type { JwtKeys } from "../JwtKeys.ts"
import type { Roles } from "../Roles.ts"

// Access tokens of an external authorization server (RFC 9068). They name this service in their audience and expire.

interface IssuerSettings {
  readonly jwt: JwtSettings
  readonly roles: Roles["Service"]
}

const endless = invalid("an access token has to expire")

/** A token without a user belongs to its client. */
const userOf = ({ azp, client_id, sub }: Claims): string | undefined =>
  [sub, client_id, azp].find((name): name is string => typeof name === "string" && name !== "")

const principalOf = (
  claims: Claims,
  { jwt, roles }: IssuerSettings
): Effect.Effect<Principal.Principal, StorageUnavailable | TokenRejected> => {
  const user = userOf(claims)
  if (claims["exp"] === undefined) return Effect.fail(endless)
  if (user === undefined || !Ids.isUserId(user) || Principal.isReserved(user)) return Effect.fail(invalidSubject)
  const user_id = Ids.UserId.make(user)
  const tenant = tenantOf(claims, jwt)
  return roles.derive(
    allScopesOf(claims, jwt),
    (grants) =>
      Principal.inTenant(
        { ...Principal.oauth(user_id, grants), claims },
        typeof tenant === "string" ? tenant : undefined
      )
  )
}

const make = (settings: IssuerSettings, keys: JwtKeys) => {
  const verify = Jwt.withKeys(settings.jwt, keys)
  // The verification returns the same object for the same token, so the principal is cached with it.
  const principals = new WeakMap<Claims, ReturnType<typeof principalOf>>()
  return (token: Redacted.Redacted): ReturnType<typeof principalOf> =>
    Effect.flatMap(verify(token), (claims) => {
      const found = principals.get(claims) ?? principalOf(claims, settings)
      principals.set(claims, found)
      return found
    })
}

const refuse = Effect.fail(invalid("this service accepts no access tokens of OAuth"))

export class OAuthTokens extends Context.Service<OAuthTokens, {
  readonly authenticate: (
    token: Redacted.Redacted
  ) => Effect.Effect<Principal.Principal, TokenRejected | StorageUnavailable>
  /** Verifies an accepted token again, for each event of an open stream. */
  readonly reauthenticate: (
    token: Redacted.Redacted
  ) => Effect.Effect<Principal.Principal, TokenRejected | StorageUnavailable>
}>()("@svc-runtime/auth/oauth/OAuthTokens") {
  /** Tokens that another server issues: JSON Web Tokens. */
  static readonly ofIssuer = (settings: IssuerSettings, keys: JwtKeys): OAuthTokens["Service"] => {
    const authenticate = make(settings, keys)
    return { authenticate, reauthenticate: authenticate }
  }

  /** Accepts no tokens. */
  static readonly layerDisabled: Layer.Layer<OAuthTokens> = Layer.succeed(
    OAuthTokens,
    OAuthTokens.of({ authenticate: () => refuse, reauthenticate: () => refuse })
  )
}
