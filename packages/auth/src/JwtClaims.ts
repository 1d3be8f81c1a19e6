// What the claims of a verified token mean. Pure: the same claims, settings and time give the same result (RFC 7519
// §4.1).
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Role from "@svc-runtime/domain/Role"
import type * as Scope from "@svc-runtime/domain/Scope"
import * as Tenant from "@svc-runtime/domain/Tenant"
import { expired, invalid, invalidSubject, type TokenRejected, wrongAudience } from "./AuthErrors.ts"
import type { AuthSettings, JwtSettings } from "./AuthSettings.ts"

export type Claims = Json.Object

const isNumber = (value: Json.Value | undefined): value is number | undefined =>
  value === undefined || (typeof value === "number" && Number.isFinite(value))

const isId = (value: Json.Value | undefined): value is string | undefined =>
  value === undefined || (typeof value === "string" && Ids.isUserId(value))

/** Checked for each use of a token. `now` is in epoch seconds. */
export const refusedAt = (
  claims: Claims,
  { clockToleranceSeconds }: JwtSettings,
  now: number
): TokenRejected | undefined => {
  const { exp, iat, nbf } = claims
  if (!isNumber(exp) || !isNumber(nbf) || !isNumber(iat)) return invalid("its exp, nbf and iat have to be numbers")
  if (exp !== undefined && exp <= now - clockToleranceSeconds) return expired
  if (nbf !== undefined && nbf > now + clockToleranceSeconds) return invalid("it is not valid yet")
  if (iat !== undefined && iat > now + clockToleranceSeconds) return invalid("it was issued in the future")
  return undefined
}

const audienceOf = (value: Json.Value): ReadonlyArray<Json.Value> => Array.isArray(value) ? value : [value]

/** The parts that do not change with time. */
export const refused = (claims: Claims, settings: JwtSettings): TokenRejected | undefined => {
  const { audience, audienceClaim, issuer, sessionIdClaim, userIdClaim } = settings
  const subject = claims[userIdClaim]
  if (!isId(subject)) return invalid("its subject is not a text of at most 512 characters that can be stored")
  // an empty id must not lift the limit to a session
  if (claims[sessionIdClaim] === "" || !isId(claims[sessionIdClaim])) {
    return invalid("its session id is not a text of at most 512 characters that can be stored")
  }
  if (issuer !== undefined && claims["iss"] !== issuer) {
    return invalid("it does not come from the issuer that is trusted here")
  }
  if (audience !== undefined) {
    const given = claims[audienceClaim]
    if (given === undefined) {
      return invalid(`Token is missing the "${audienceClaim}" claim. It has to name this service.`)
    }
    if (!audienceOf(given).some((name) => typeof name === "string" && audience.includes(name))) return wrongAudience
  }
  if (subject !== undefined && Principal.isReserved(subject)) return invalidSubject
  return refusedTenant(claims, settings, subject)
}

/**
 * Undefined: the token has none, or tenants are not read. It has none only without the first name of the path: null
 * stands for a claim of another shape, which is refused.
 */
export const tenantOf = (claims: Claims, { tenantClaim }: Pick<JwtSettings, "tenantClaim">): Json.Value | undefined => {
  if (tenantClaim === undefined) return undefined
  const [first = ""] = tenantClaim.split(".")
  const isThere = Object.hasOwn(claims, tenantClaim) || Object.hasOwn(claims, first)
  return isThere ? claimAt(claims, tenantClaim) ?? null : undefined
}

/** A tenant that could be taken for another one, or for none, must not be ignored. */
const refusedTenant = (claims: Claims, settings: JwtSettings, subject: string | undefined) => {
  const tenant = tenantOf(claims, settings)
  if (tenant === undefined) return undefined
  if (typeof tenant !== "string" || !Tenant.isName(tenant)) {
    return invalid("its tenant is not a text of 1 to 63 letters, digits, '.', '-' and '_'")
  }
  return subject !== undefined && !Ids.isUserId(Tenant.userIn(tenant, subject))
    ? invalid("its subject is too long for a user of a tenant")
    : undefined
}

/** A list of texts, or one text with spaces between them (RFC 8693 §4.2); other values grant nothing. */
export const scopesOf = (value: Json.Value | undefined): ReadonlyArray<string> =>
  typeof value === "string"
    ? value.split(" ").filter((scope) => scope !== "")
    : Array.isArray(value)
    ? value.filter((scope) => typeof scope === "string")
    : []

const picked = (claims: Claims, names: ReadonlyArray<string>): Json.Object =>
  Object.fromEntries(names.flatMap((name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined
    return value === undefined ? [] : [[name, value]]
  }))

/** A claim by its name, or by a path such as `realm_access.roles`. Names can contain points, as those of addresses. */
const claimAt = (claims: Claims, path: string): Json.Value | undefined => {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: Json.Value | undefined = claims
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return
    value = (value as Json.Object)[name]
  }
  return value
}

/** The scopes of the token, and the roles of its groups. */
export const allScopesOf = (
  claims: Claims,
  { groupRoles, groupsClaim, scopesClaim }: Pick<JwtSettings, "groupRoles" | "groupsClaim" | "scopesClaim">
): ReadonlyArray<string> => {
  const scopes = scopesOf(claims[scopesClaim])
  if (groupsClaim === undefined || groupRoles.size === 0) return scopes
  const value = claimAt(claims, groupsClaim)
  // a group can have spaces in its name, and its words are no groups then
  const groups = typeof value === "string" && groupRoles.has(value) ? [value] : scopesOf(value)
  const roles = groups.flatMap((group) => groupRoles.get(group) ?? [])
  return [...new Set([...scopes, ...roles.map(Role.scopeOf)])]
}

export const toPrincipal = (claims: Claims, settings: AuthSettings, grants: Scope.Grants): Principal.Principal => {
  const { jwt } = settings
  const subject = claims[jwt.userIdClaim]
  const session = claims[jwt.sessionIdClaim]
  const tenant = tenantOf(claims, jwt)
  const principal: Principal.Principal = {
    credential: "jwt",
    // an empty subject identifies no user
    user_id: typeof subject === "string" && subject !== "" ? Ids.UserId.make(subject) : undefined,
    session_id: typeof session === "string" ? session : undefined,
    grants,
    isScoped: settings.enforceScopes,
    isIsolated: settings.userIsolation && !grants.isAdmin,
    claims,
    dependencies: picked(claims, jwt.dependenciesClaims),
    session_state: picked(claims, jwt.sessionStateClaims)
  }
  return Principal.inTenant(principal, typeof tenant === "string" ? tenant : undefined)
}
