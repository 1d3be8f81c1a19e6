// The environment variables that say who may call.
import { Config as Env, Option, Schema } from "effect"
import { flag, list, oneOf, optionalCount, secret, text } from "../config/ConfigReaders.ts"
import type { AuthorizationOptions } from "./AuthorizationOptions.ts"

const Names = Schema.Union([Schema.String, Schema.Array(Schema.String)])

const GroupRoles = Schema.fromJsonString(
  Schema.Record(Schema.String, Names).annotate({
    expected: `groups with their roles as JSON, such as {"support-team": ["support"]}`
  })
)

const groupRoles = Env.map(Env.option(Env.schema(GroupRoles, "GROUP_ROLES")), Option.getOrUndefined)

/** Who may call. What is not set here is left to the application, or to the defaults. */
export const authorization = Env.all({
  enabled: flag("AUTHORIZATION"),
  userIsolation: flag("USER_ISOLATION"),
  adminScope: text("ADMIN_SCOPE"),
  securityKey: secret("OS_SECURITY_KEY"),
  internalToken: secret("INTERNAL_SERVICE_TOKEN"),
  verificationKey: secret("JWT_VERIFICATION_KEY"),
  jwksFile: text("JWT_JWKS_FILE"),
  algorithm: text("JWT_ALGORITHM"),
  audience: list("JWT_AUDIENCE"),
  issuer: text("JWT_ISSUER"),
  scopesClaim: text("JWT_SCOPES_CLAIM"),
  userIdClaim: text("JWT_USER_ID_CLAIM"),
  tenantClaim: text("TENANT_CLAIM"),
  groupsClaim: text("GROUPS_CLAIM"),
  groupRoles,
  tokenSource: oneOf("TOKEN_SOURCE", ["header", "cookie", "both"]),
  cookieName: text("TOKEN_COOKIE"),
  serviceAccountCacheSeconds: optionalCount("SERVICE_ACCOUNT_CACHE_TTL_SECONDS")
}).pipe(Env.map(({ audience, verificationKey, ...rest }): AuthorizationOptions => ({
  ...rest,
  audience: audience.length === 0 ? undefined : audience,
  verificationKeys: verificationKey === undefined ? [] : [verificationKey]
})))
