// Access control: authenticates each request before it is routed, and checks the scopes of the route. Routes that are
// added later require an authenticated caller, unless they are mapped or excluded.
import type { ServiceApi } from "@svc-runtime/api"
import {
  type AuthenticationFailure,
  Authenticator,
  type AuthSettings,
  isAccountToken,
  OAuthTokens
} from "@svc-runtime/auth"
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import { Context, Effect, Layer, Option, Predicate, Redacted } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as AllowedHosts from "./AllowedHosts.ts"
import * as Challenge from "./Challenge.ts"
import * as ExcludedRoutes from "./ExcludedRoutes.ts"
import { isUpgrade } from "./isUpgrade.ts"
import { type McpOAuth, publicPaths } from "./McpOAuth.ts"
import * as Origins from "./Origins.ts"
import type { ProtocolRoute } from "./ProtocolRoute.ts"
import type { Mapping } from "./ScopeMappings.ts"
import * as ScopeTable from "./ScopeTable.ts"

// Authenticates callers of the MCP endpoint where OAuth protects it: by an access token, or by each credential of the
// service. Other paths refuse access tokens.
type Authenticate = (
  token: Redacted.Redacted,
  address: string | undefined
) => Effect.Effect<Principal.Principal, AuthenticationFailure>

const makeMcpAuthentication = Effect.gen(function*() {
  const { authenticatePresented, reauthenticate, settings } = yield* Authenticator
  const tokens = yield* OAuthTokens

  /** An access token, or else a credential of the service. If both are refused, the response has the first reason. */
  const either =
    (byToken: (typeof tokens)["authenticate"], byService: Authenticate): Authenticate => (token, address) =>
      isAccountToken(token)
        ? byService(token, address)
        : Effect.catchTag(byToken(token), "TokenRejected", (rejected) =>
          settings.mode === "none"
            ? Effect.fail(rejected)
            : Effect.catchTags(byService(token, address), {
              KeyRejected: () => Effect.fail(rejected),
              TokenRejected: () => Effect.fail(rejected)
            }))

  return {
    authenticate: either(tokens.authenticate, authenticatePresented),
    reauthenticate: either(tokens.reauthenticate, reauthenticate)
  }
})

// Reads the token of a request from the header or cookie that the settings name.
const scheme = /^bearer(?:\s+|$)/i

const redacted = (text: string | undefined): Redacted.Redacted | undefined => {
  const token = text?.trim() ?? ""
  return token === "" ? undefined : Redacted.make(token, { label: "token" })
}

/** A value without the word Bearer is taken for the token itself, except where no token is required. */
const fromHeader = ({ headers }: HttpServerRequest.HttpServerRequest, { mode, tokenHeader }: AuthSettings) => {
  const value = headers[mode === "none" ? "authorization" : tokenHeader]?.trim()
  if (value === undefined || (mode === "none" && !scheme.test(value))) return undefined
  return redacted(value.replace(scheme, ""))
}

/** The token of an `Authorization: Bearer` header. */
const bearerToken = ({ headers }: HttpServerRequest.HttpServerRequest): Redacted.Redacted | undefined => {
  const value = headers["authorization"]?.trim()
  return value === undefined || !scheme.test(value) ? undefined : redacted(value.replace(scheme, ""))
}

const readCredential = (
  request: HttpServerRequest.HttpServerRequest,
  settings: AuthSettings
): Redacted.Redacted | undefined => {
  if (settings.mode !== "jwt" || settings.tokenSource === "header") return fromHeader(request, settings)
  const fromCookie = () => redacted(request.cookies[settings.cookieName])
  return settings.tokenSource === "cookie" ? fromCookie() : fromHeader(request, settings) ?? fromCookie()
}

/** Whether the caller sent a credential on purpose. A browser sends a cookie with requests of any page. */
const isCredentialShown = (request: HttpServerRequest.HttpServerRequest, settings: AuthSettings): boolean =>
  settings.tokenSource !== "cookie" && fromHeader(request, settings) !== undefined

/** The caller is authenticated and lacks a required scope. */
export class ScopesMissing {
  readonly _tag = "ScopesMissing"
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** The claims in which providers put scopes. */
const scopeClaims = ["scope", "scp", "scopes", "permissions"]

/** A token whose scopes are in another claim is refused, whatever scopes it has. */
const claimHint = ({ claims, credential }: Principal.Principal, { jwt, mode }: AuthSettings): string => {
  const { groupsClaim, scopesClaim } = jwt
  const isElsewhere = groupsClaim !== undefined || Object.hasOwn(claims, scopesClaim)
  if (mode !== "jwt" || credential !== "jwt" || isElsewhere) return ""
  const other = scopeClaims.find((name) => Object.hasOwn(claims, name))
  const has = other === undefined ? "" : `, but a claim '${other}'`
  return `. The token has no claim '${scopesClaim}'${has}: JWT_SCOPES_CLAIM names the claim with the scopes`
}

const refusalOf = (
  principal: Principal.Principal,
  { native, scopes }: ScopeTable.Requirement,
  settings: AuthSettings
): string => {
  const { grants } = principal
  const isWithheld = (scope: string) => Scope.isWithheld(grants, scope)
  const required = native.some(isWithheld) ? native : scopes
  const text = Scope.refusal(grants, required)
  return required.some(isWithheld) ? text : `${text}${claimHint(principal, settings)}`
}

export interface AccessDecision {
  readonly principal: Principal.Principal
  /** The endpoint whose scopes were checked. Undefined if there is none, or if no check was necessary. */
  readonly route: string | undefined
  /** The path of that endpoint. */
  readonly path: string | undefined
  /** The scopes that tell what the route does, whatever it is mapped to. */
  readonly native: ReadonlyArray<string>
  /** What the route changes, where its scope does not tell it. */
  readonly changes: string | undefined
  /** The parameters of the path, as the router reads them. */
  readonly params: ScopeTable.Params
  readonly isExcluded: boolean
  /** Checks again that the credential and its scopes admit the request. Open streams check it for each event. */
  readonly verify: Effect.Effect<Principal.Principal, Refusal>
}

/** A browser sent the request for a page of another origin. */
export class OriginRejected {
  readonly _tag = "OriginRejected"
  readonly origin: string
  constructor(origin: string) {
    this.origin = origin
  }
}

/** The request has a host name that is not the service's. */
export class HostRejected {
  readonly _tag = "HostRejected"
}

/** HTTP/1.1 requires the header, once. */
export class HostMissing {
  readonly _tag = "HostMissing"
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

export interface Options {
  readonly mappings: ReadonlyArray<Mapping>
  readonly api: ServiceApi.AnyApi
  /** Routes that are not of the API. */
  readonly protocols: ReadonlyArray<ProtocolRoute>
  readonly excludedRoutes: ReadonlyArray<string>
  /** Sockets on these paths authenticate by a message. */
  readonly sockets: ReadonlyArray<string>
  /** Origins whose pages may send requests. */
  readonly origins: Origins.Origins
  /** Accepted host names, beside those of this machine. Undefined: all host names. */
  readonly hosts: ReadonlyArray<string> | undefined
  /** Protects the MCP endpoint. Undefined: it has the authentication of all paths. */
  readonly oauth?: McpOAuth | undefined
}

/** A caller of the protected MCP endpoint learns where to get an access token. */
export class Challenged {
  readonly _tag = "Challenged"
  readonly response: HttpServerResponse.HttpServerResponse
  constructor(response: HttpServerResponse.HttpServerResponse) {
    this.response = response
  }
}

export type Refusal = AuthenticationFailure | Challenged | ScopesMissing | OriginRejected | HostRejected | HostMissing

export class AccessControl extends Context.Service<AccessControl, {
  readonly settings: AuthSettings
  readonly authorizeRequest: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<AccessDecision, Refusal>
}>()("@svc-runtime/http/authorization/AccessControl") {
  static readonly layer = (options: Options): Layer.Layer<AccessControl, never, Authenticator | OAuthTokens> =>
    Layer.effect(AccessControl, make(options))
}

const make = Effect.fnUntraced(function*(options: Options) {
  const { authenticate, authenticateInOutage, excluded, reauthenticate, settings } = yield* Authenticator
  const table = ScopeTable.make(options.api, options.mappings, options.protocols)
  const { oauth } = options
  const isExcluded = ExcludedRoutes.make(
    oauth === undefined ? options.excludedRoutes : [...options.excludedRoutes, ...publicPaths(oauth)]
  )
  const mcpAuthentication = yield* makeMcpAuthentication
  const isMcp = ExcludedRoutes.make(oauth === undefined ? [] : [new URL(oauth.resource).pathname])
  const isSocketPath = ExcludedRoutes.make(options.sockets)
  const excludedDecision: AccessDecision = {
    principal: excluded,
    route: undefined,
    path: undefined,
    native: [],
    changes: undefined,
    params: {},
    isExcluded: true,
    verify: Effect.succeed(excluded)
  }

  const missingScopes = (
    principal: Principal.Principal,
    requirement: ScopeTable.Requirement | undefined
  ): ScopesMissing | undefined =>
    requirement === undefined || !isRequired(principal, requirement) || ScopeTable.meets(principal.grants, requirement)
      ? undefined
      : new ScopesMissing(refusalOf(principal, requirement, settings))

  const authorize = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<AccessDecision, Refusal> => {
    const address = Option.getOrUndefined(request.remoteAddress)
    const token = readCredential(request, settings)
    const requirement = table.requirement(request.method, request.url)
    const authenticated = requirement?.respondsInOutage === true
      ? authenticateInOutage(token, address)
      : authenticate(token, address)
    return admit(request, requirement, token, authenticated, reauthenticate)
  }

  const authorizeMcp = (
    request: HttpServerRequest.HttpServerRequest,
    oauth: McpOAuth
  ): Effect.Effect<AccessDecision, Refusal> => {
    const address = Option.getOrUndefined(request.remoteAddress)
    const token = bearerToken(request) ?? readCredential(request, settings)
    if (token === undefined) return Effect.fail(new Challenged(Challenge.missing(oauth)))
    const challenged = ({ message }: { readonly message: string }) =>
      Effect.fail(new Challenged(Challenge.invalid(oauth, message)))
    const authenticated = Effect.catchTags(mcpAuthentication.authenticate(token, address), {
      TokenRejected: challenged,
      InvalidAccountToken: challenged,
      KeyRejected: challenged
    })
    const requirement = table.requirement(request.method, request.url)
    return admit(request, requirement, token, authenticated, mcpAuthentication.reauthenticate)
  }

  const admit = (
    request: HttpServerRequest.HttpServerRequest,
    requirement: ScopeTable.Requirement | undefined,
    token: Redacted.Redacted | undefined,
    authenticated: Effect.Effect<Principal.Principal, Refusal>,
    again: (typeof mcpAuthentication)["reauthenticate"]
  ): Effect.Effect<AccessDecision, Refusal> => {
    const address = Option.getOrUndefined(request.remoteAddress)
    return Effect.flatMap(authenticated, (principal): Effect.Effect<AccessDecision, Refusal> => {
      const missing = missingScopes(principal, requirement)
      if (missing !== undefined) return Effect.fail(missing)
      const verify = token === undefined || principal.credential === "open"
        ? Effect.succeed(principal)
        : Effect.flatMap(again(token, address), (current): Effect.Effect<Principal.Principal, Refusal> => {
          const lost = missingScopes(current, requirement)
          return lost === undefined ? Effect.succeed(current) : Effect.fail(lost)
        })
      return Effect.succeed({
        principal,
        route: requirement?.route,
        path: requirement?.path,
        native: requirement?.native ?? [],
        changes: requirement?.changes,
        params: requirement?.params ?? {},
        isExcluded: false,
        verify
      })
    })
  }

  // Browsers send requests for any page, with their stored cookies. A header with a credential proves that the page
  // knows it. Without one, or with a cookie, a page of another origin must not change data, and must not make a factory
  // build a component, as some requests that read do.
  // The public origin is the service's own, also behind a proxy that changes the `Host` header.
  const origins = oauth === undefined ? options.origins : Origins.including(options.origins, oauth.origin)
  /** A run of a factory is read by the component that it builds. */
  const readsRun = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean => {
    const requirement = table.requirement(method, url)
    return requirement?.target !== undefined && requirement.path?.includes("/runs") === true
  }
  const isForged = (request: HttpServerRequest.HttpServerRequest): boolean =>
    isForeign(request, origins) &&
    (isSocket(request)
      ? settings.mode === "none"
      : (changes(request) || readsRun(request)) && !isCredentialShown(request, settings))

  const isNamed = options.hosts === undefined ? () => true : AllowedHosts.make(options.hosts)

  return AccessControl.of({
    settings,
    authorizeRequest: (request) => {
      const { host } = request.headers
      if (host === undefined && isHttp11(request)) return Effect.fail(new HostMissing("The request has no Host header"))
      if (hasManyHosts(request)) return Effect.fail(new HostMissing("The request has more than one Host header"))
      if (host !== undefined && !isNamed(host)) return Effect.fail(new HostRejected())
      if (isForged(request)) return Effect.fail(new OriginRejected(request.headers["origin"] ?? ""))
      // The CORS rules have responded to preflights, which have no credentials.
      if (isExcluded(request.url)) return Effect.succeed(excludedDecision)
      if (isSocket(request) && isSocketPath(request.url)) return Effect.succeed(excludedDecision)
      return oauth !== undefined && isMcp(request.url) ? authorizeMcp(request, oauth) : authorize(request)
    }
  })
})

/** Scopes for service accounts are enforced even if other scopes are not, because an account outlives the token. */
const isRequired = ({ credential, isScoped }: Principal.Principal, { scopes }: ScopeTable.Requirement): boolean =>
  isScoped || (credential === "jwt" && scopes.some((scope) => scope.startsWith("service_accounts:")))

const changes = ({ method }: HttpServerRequest.HttpServerRequest) => !["GET", "HEAD", "OPTIONS"].includes(method)

const isSocket = (request: HttpServerRequest.HttpServerRequest) => request.method === "GET" && isUpgrade(request)

/** Requests that do not come from a socket have no version. */
const isHttp11 = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  Predicate.hasProperty(source, "httpVersion") && source.httpVersion === "1.1"

/** `headers` has the first one only, and a proxy in front can have used the other. */
const hasManyHosts = ({ source }: HttpServerRequest.HttpServerRequest): boolean => {
  if (!Predicate.hasProperty(source, "rawHeaders") || !Array.isArray(source.rawHeaders)) return false
  let hosts = 0
  for (let at = 0; at < source.rawHeaders.length; at += 2) {
    const name: unknown = source.rawHeaders[at]
    if (typeof name === "string" && name.length === 4 && name.toLowerCase() === "host") hosts++
  }
  return hosts > 1
}

/**
 * Whether a page of another origin than the service sent the request. The service's own origin has the host of the
 * `Host` header, and the scheme of the proxy in front. A proxy need not give its scheme, but the browser knows whether
 * the page has the same one. A browser leaves out the origin of a request that reads, but tells its site.
 */
const isForeign = ({ headers }: HttpServerRequest.HttpServerRequest, origins: Origins.Origins): boolean => {
  const { host, origin, "sec-fetch-site": site, "x-forwarded-proto": scheme } = headers
  if (origin === undefined) return site === "cross-site"
  if (origins.allows(origin)) return false
  const own = Origins.ownOf(origin, host)
  return own === undefined || (site !== undefined && site !== "same-origin") ||
    (scheme !== undefined && !isScheme(own.protocol, scheme))
}

/** Each proxy can add the scheme that it was called with. */
const isScheme = (protocol: string, forwarded: string): boolean =>
  forwarded.split(",").some((each) => `${each.trim().toLowerCase()}:` === protocol)
