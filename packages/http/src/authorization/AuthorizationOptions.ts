// The options of authorization in code. Each one that is left out has the value of its environment variable. Keys of
// both are used together.
import { type Algorithm, type AuthSettings, defaultJwt, isAlgorithm, openSettings } from "@svc-runtime/auth"
import * as Role from "@svc-runtime/domain/Role"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Redacted, Result } from "effect"
import { defaultExcludedRoutes } from "./ExcludedRoutes.ts"
import { decode, type Mapping, type ScopeMappings } from "./ScopeMappings.ts"
import { standardRoles } from "./standardRoles.ts"

type Secret = string | Redacted.Redacted

export interface AuthorizationOptions {
  /** Whether scopes are enforced. This requires a key that verifies tokens. */
  readonly enabled?: boolean | undefined
  /** Public keys in PEM, or shared secrets when the algorithm is one of HS256, HS384 and HS512. */
  readonly verificationKeys?: ReadonlyArray<Secret> | undefined
  /** A file with a JSON Web Key Set, or several. */
  readonly jwksFile?: string | ReadonlyArray<string> | undefined
  /** RS256 when left out. */
  readonly algorithm?: string | undefined
  /** Tokens must name this audience, or one of these. */
  readonly audience?: string | ReadonlyArray<string> | undefined
  /** Whether the audience is checked. Default: if there is one. Without one the id of the service is the audience. */
  readonly verifyAudience?: boolean | undefined
  /** The issuer that tokens must have. Default: any. */
  readonly issuer?: string | undefined
  /** How much the clocks of issuer and service can differ. Default: 10 seconds. */
  readonly clockToleranceSeconds?: number | undefined
  /** Where the token is: `header`, `cookie` or `both`. Default: `header`. */
  readonly tokenSource?: AuthSettings["tokenSource"] | undefined
  /** The header with the token. Default: `Authorization`. */
  readonly tokenHeader?: string | undefined
  /** The cookie with the token. Default: `access_token`. */
  readonly cookieName?: string | undefined
  /** The claim with the scopes. Default: `scopes`. */
  readonly scopesClaim?: string | undefined
  /** The claim with the user. Default: `sub`. */
  readonly userIdClaim?: string | undefined
  /** The claim with the session. Default: `session_id`. */
  readonly sessionIdClaim?: string | undefined
  /** The claim with the audience. Default: `aud`. */
  readonly audienceClaim?: string | undefined
  /**
   * The claim with the tenant of the user: its name, or the path to it. The users of a tenant see only what is of it.
   * Default: there are no tenants.
   */
  readonly tenantClaim?: string | undefined
  /**
   * The claim with the groups of the user: its name, or the path to it, such as `realm_access.roles`. Default: groups
   * are not read.
   */
  readonly groupsClaim?: string | undefined
  /** The roles of each group, such as `{ "support-team": ["support"] }`. */
  readonly groupRoles?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined
  /** Named sets of scopes, such as `{ support: ["agents:desk:run"] }`. A token has one by the scope `role:support`. */
  readonly roles?: Readonly<Record<string, ReadonlyArray<string>>> | undefined
  /** Claims that go into the dependencies of a run, over those of the request. */
  readonly dependenciesClaims?: ReadonlyArray<string> | undefined
  /** Claims that go into the state of a session, over that of the request. */
  readonly sessionStateClaims?: ReadonlyArray<string> | undefined
  /** Replaces `platform:admin`, which then grants nothing. The role `admin` of `standardRoles` has it. */
  readonly adminScope?: string | undefined
  /** Whether users are isolated. Default: if callers have tokens. */
  readonly userIsolation?: boolean | undefined
  /** Scopes of routes. They replace the scopes of routes of the API. */
  readonly scopeMappings?: ScopeMappings | undefined
  /** Replaces the routes that are open by default. */
  readonly excludedRoutes?: ReadonlyArray<string> | undefined
  /** A key with all scopes, for callers without an account. Default: none. */
  readonly securityKey?: Secret | undefined
  /** The credential with which the service calls itself. */
  readonly internalToken?: Secret | undefined
  /** How long the token of a service account is cached. 0 by default: a revocation takes effect at once everywhere. */
  readonly serviceAccountCacheSeconds?: number | undefined
}

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof AuthorizationOptions> = {
  enabled: "flag",
  verificationKeys: "keys",
  jwksFile: "texts",
  algorithm: "text",
  audience: "texts",
  verifyAudience: "flag",
  issuer: "name",
  clockToleranceSeconds: "amount",
  tokenSource: { oneOf: ["header", "cookie", "both"] satisfies ReadonlyArray<AuthSettings["tokenSource"]> },
  tokenHeader: "name",
  cookieName: "name",
  scopesClaim: "name",
  userIdClaim: "name",
  sessionIdClaim: "name",
  audienceClaim: "name",
  tenantClaim: "name",
  groupsClaim: "name",
  groupRoles: { each: "texts" },
  roles: { each: "list" },
  dependenciesClaims: "names",
  sessionStateClaims: "names",
  adminScope: "name",
  userIsolation: "flag",
  scopeMappings: { each: "list" },
  excludedRoutes: "names",
  securityKey: "key",
  internalToken: "key",
  serviceAccountCacheSeconds: "amount"
}

const defined = <A extends object>(options: A): Partial<A> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<A>

/** Options override environment variables. Keys and key sets of both are used. */
export const combine = (given: AuthorizationOptions, environment: AuthorizationOptions): AuthorizationOptions => ({
  ...defined(environment),
  ...defined(given),
  verificationKeys: [...(given.verificationKeys ?? []), ...(environment.verificationKeys ?? [])],
  jwksFile: [given.jwksFile ?? [], environment.jwksFile ?? []].flat(),
  groupRoles: { ...environment.groupRoles, ...given.groupRoles }
})

export interface Access {
  readonly settings: AuthSettings
  readonly mappings: ReadonlyArray<Mapping>
  readonly excludedRoutes: ReadonlyArray<string>
  readonly serviceAccountCacheSeconds: number
  /** The roles of the code of the application. */
  readonly roles: Role.Roles
  /** Scopes of the operator's routes. */
  readonly routeScopes?: ReadonlyArray<string>
  /** The resources of the scopes of the API. */
  readonly resources?: ReadonlyArray<string>
}

const secret = (given: Secret): Redacted.Redacted => typeof given === "string" ? Redacted.make(given) : given
const secretOr = (given: Secret | undefined) => given === undefined ? undefined : secret(given)

const audienceOf = ({ audience, verifyAudience }: AuthorizationOptions, serviceId: string) => {
  if (verifyAudience === false || (audience === undefined && verifyAudience !== true)) return undefined
  return [audience ?? serviceId].flat()
}

const algorithmOf = (given: string | undefined): Result.Result<Algorithm, string> => {
  const name = given ?? defaultJwt.algorithm
  return isAlgorithm(name)
    ? Result.succeed(name)
    : Result.fail(
      `JWT_ALGORITHM=${name} is none that can be checked. Set it to RS256, ES256, EdDSA, HS256 or their kin.`
    )
}

/**
 * Refuses roles of code that could not be named, or that name others. Their scopes are checked where all of them are
 * known. The standard role for everything has the admin scope, whatever it is called.
 */
const rolesOf = ({ roles = {} }: AuthorizationOptions, adminScope: string): Result.Result<Role.Roles, string> => {
  for (const [name, scopes] of Object.entries(roles)) {
    const problem = Role.problemOf(name, scopes)
    if (problem !== undefined) return Result.fail(`The role '${name}' cannot be used: ${problem}`)
  }
  return Result.succeed(
    new Map(
      Object.entries(roles).map(([name, scopes]) => [name, scopes === standardRoles.admin ? [adminScope] : scopes])
    )
  )
}

const groupRolesOf = ({ groupRoles = {}, groupsClaim }: AuthorizationOptions) => {
  const mapped = new Map(Object.entries(groupRoles).map(([group, roles]) => [group, [roles].flat()] as const))
  return mapped.size > 0 && groupsClaim === undefined
    ? Result.fail(
      "There are roles of groups, but groups are not read. Set GROUPS_CLAIM (groupsClaim) to the claim with the groups."
    )
    : Result.succeed(mapped)
}

const needsKeys =
  "AUTHORIZATION is on, but there is no key to check tokens with. Set JWT_VERIFICATION_KEY to a public " +
  "key in PEM (or a shared secret, with JWT_ALGORITHM=HS256) or JWT_JWKS_FILE to a file with a JSON Web Key Set."

const keyIsEnough = " OS_SECURITY_KEY alone closes the service: with it, leave AUTHORIZATION out."

const needsScopes =
  "TENANT_CLAIM is set, but AUTHORIZATION is not on: callers of a tenant would have all rights. Set AUTHORIZATION=true."

/** Options that cannot work, or that weaken the protection unexpectedly, as sentences that say what to change. */
export const resolve = (options: AuthorizationOptions, serviceId: string): Result.Result<Access, string> =>
  Result.gen(function*() {
    const verificationKeys = (options.verificationKeys ?? []).map(secret)
    const jwksFiles = [options.jwksFile ?? []].flat()
    const hasKeys = verificationKeys.length > 0 || jwksFiles.length > 0
    const securityKey = secretOr(options.securityKey)
    if (options.enabled === true && !hasKeys) {
      return yield* Result.fail(securityKey === undefined ? needsKeys : needsKeys + keyIsEnough)
    }
    if (options.tenantClaim !== undefined && options.enabled !== true) return yield* Result.fail(needsScopes)
    const mode = hasKeys ? "jwt" : securityKey === undefined ? "none" : "security_key"
    const adminScope = options.adminScope ?? openSettings.adminScope
    const settings: AuthSettings = {
      mode,
      enforceScopes: options.enabled ?? false,
      userIsolation: options.userIsolation ?? mode === "jwt",
      adminScope,
      securityKey,
      internalToken: secretOr(options.internalToken),
      tokenSource: options.tokenSource ?? openSettings.tokenSource,
      tokenHeader: (options.tokenHeader ?? openSettings.tokenHeader).toLowerCase(),
      cookieName: options.cookieName ?? openSettings.cookieName,
      jwt: {
        verificationKeys,
        jwksFiles,
        algorithm: yield* algorithmOf(options.algorithm),
        audience: audienceOf(options, serviceId),
        issuer: options.issuer,
        clockToleranceSeconds: options.clockToleranceSeconds ?? defaultJwt.clockToleranceSeconds,
        scopesClaim: options.scopesClaim ?? defaultJwt.scopesClaim,
        userIdClaim: options.userIdClaim ?? defaultJwt.userIdClaim,
        sessionIdClaim: options.sessionIdClaim ?? defaultJwt.sessionIdClaim,
        audienceClaim: options.audienceClaim ?? defaultJwt.audienceClaim,
        tenantClaim: options.tenantClaim,
        groupsClaim: options.groupsClaim,
        groupRoles: yield* groupRolesOf(options),
        dependenciesClaims: options.dependenciesClaims ?? [],
        sessionStateClaims: options.sessionStateClaims ?? []
      }
    }
    return {
      settings,
      mappings: yield* decode(options.scopeMappings ?? {}, adminScope),
      roles: yield* rolesOf(options, adminScope),
      excludedRoutes: options.excludedRoutes ?? defaultExcludedRoutes,
      serviceAccountCacheSeconds: options.serviceAccountCacheSeconds ?? 0
    }
  })
