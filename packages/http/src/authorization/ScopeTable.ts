// The scopes that a request requires. The default table comes from the API, and the operator's mappings replace its
// rows. The router's own matcher with the router's own settings matches the paths: a second parser could be bypassed.
import { RequiredScope, RespondsInOutage, type ServiceApi } from "@svc-runtime/api"
import { Changes } from "@svc-runtime/api/RequiredScope"
import * as Scope from "@svc-runtime/domain/Scope"
import { Context, Function, Order } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { routerConfig } from "../requests/routerConfig.ts"
import type { ProtocolRoute } from "./ProtocolRoute.ts"
import * as RoutePattern from "./RoutePattern.ts"
import type { Mapping } from "./ScopeMappings.ts"

export interface Requirement {
  /** All of them are needed. */
  readonly scopes: ReadonlyArray<string>
  /** Those without a mapping. They tell what the route does. */
  readonly native: ReadonlyArray<string>
  /** Method and path of the endpoint, such as `GET /agents/:agent_id`. Undefined if the route is not of the API. */
  readonly route: string | undefined
  /** The path of `route`. */
  readonly path: string | undefined
  /** The component that the request is about, if scopes can name it. */
  readonly target: Scope.Target | undefined
  /** A list of components whose scopes can name one of them: the response can have a part of the list. */
  readonly listed: Scope.PerResource | undefined
  /** What the endpoint changes, where its scope does not tell it. */
  readonly changes: string | undefined
  /** The parameters of the path, as the router reads them. */
  readonly params: Params
  readonly respondsInOutage: boolean
}

/** What another door to an endpoint needs. */
export interface EndpointScopes {
  /** Those of the endpoint without a mapping. */
  readonly native: ReadonlyArray<string>
  /** Those of its mapping, for the path with these parameters. A parameter that is absent or `*` can have any value. */
  readonly mapped: (params: Params) => ReadonlyArray<string>
}

/** The table of the service. */
export class ScopeTable extends Context.Service<ScopeTable, {
  /** Undefined for an unmapped route: it needs an authenticated caller, and no scope. */
  readonly requirement: (method: string, url: string) => Requirement | undefined
  /** What another door to an endpoint needs, such as a tool of MCP or a protocol. Fails for an unknown endpoint. */
  readonly ofEndpoint: (route: string) => EndpointScopes
}>()("@svc-runtime/http/authorization/ScopeTable") {}

interface Route {
  readonly method: string
  readonly segments: ReadonlyArray<RoutePattern.Segment>
  readonly scopes: ReadonlyArray<string>
  readonly route: string | undefined
  readonly path: string | undefined
  /** How many segments are before the name of a component. */
  readonly depth?: number
  readonly changes?: string | undefined
  readonly respondsInOutage?: boolean
}

export type Params = Readonly<Record<string, string | undefined>>

const valueOf = (segment: RoutePattern.Segment, params: Params): string =>
  "literal" in segment ? segment.literal : params[segment.name] ?? ""

// The mappings of one route: that of its pattern, and those of paths that it has, such as `/agents/finance/runs/*`.

const unscoped: ReadonlyArray<string> = []
const noScopes = () => unscoped

/** A name comes before a wildcard, as in the router. */
const byName = Order.make<Mapping>((left, right) => {
  const differing = left.segments.findIndex((segment, index) =>
    "literal" in segment !== "literal" in (right.segments[index] ?? segment)
  )
  const segment = left.segments[differing]
  return segment === undefined ? 0 : "literal" in segment ? -1 : 1
})

/** Of the first mapping of the path. Where a value is not known, also of each one that can come before it. */
const mappedScopes = (
  mappings: ReadonlyArray<Mapping>,
  values: ReadonlyArray<string | undefined>
): ReadonlyArray<string> | undefined => {
  let possible: ReadonlyArray<string> | undefined
  for (const { scopes, segments } of mappings) {
    const differs = (segment: RoutePattern.Segment, index: number) =>
      "literal" in segment && values[index] !== undefined && values[index] !== segment.literal
    if (segments.some(differs)) continue
    possible = possible === undefined ? scopes : [...possible, ...scopes]
    if (!segments.some((segment, index) => "literal" in segment && values[index] === undefined)) break
  }
  return possible
}

const depthOf = ([root]: ReadonlyArray<RoutePattern.Segment>): number =>
  root !== undefined && "literal" in root && root.literal === "a2a" ? 1 : 0

/** The component that a route is about, by the first segments of its path, as in `/agents/{id}/runs`. */
const aboutOf = ({ changes, depth, method, path, respondsInOutage = false, scopes, segments, route }: Route) => {
  const [first, second] = segments.slice(depth ?? depthOf(segments))
  const resource = first !== undefined && "literal" in first && Scope.isPerResource(first.literal)
    ? first.literal
    : undefined
  return (params: Params): Requirement => ({
    scopes,
    native: scopes,
    route,
    path,
    target: resource === undefined || second === undefined ? undefined : { resource, id: valueOf(second, params) },
    listed: second === undefined && method === "GET" ? resource : undefined,
    changes,
    params,
    respondsInOutage
  })
}

type ApiRoute = Route & { readonly path: string }

/** A route without the annotation of its scopes is a mistake and is not served. */
export const defaults = Function.memoize((api: ServiceApi.AnyApi): ReadonlyArray<ApiRoute> => {
  const routes: Array<ApiRoute> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
      const route = `${endpoint.method} ${endpoint.path}`
      if (scope === undefined) throw new Error(`The endpoint ${route} does not say which scope it needs`)
      routes.push({
        method: endpoint.method,
        segments: RoutePattern.ofEndpoint(endpoint.path),
        scopes: scope === "none" ? [] : [scope],
        route,
        path: endpoint.path,
        changes: Context.getOrUndefined(endpoint.annotations, Changes),
        respondsInOutage: Context.getOrUndefined(endpoint.annotations, RespondsInOutage) === true
      })
    }
  })
  return routes
})

/** The resources of the scopes of an API. */
export const resourcesOf = (api: ServiceApi.AnyApi): ReadonlyArray<string> =>
  defaults(api).flatMap(({ scopes }) => scopes.flatMap((scope) => Scope.parse(scope)?.resource ?? []))

interface Entry {
  readonly segments: ReadonlyArray<RoutePattern.Segment>
  readonly about: (params: Params) => Requirement
  readonly mappings: ReadonlyArray<Mapping>
}

type MappedRoute = Route & { readonly mappings: ReadonlyArray<Mapping> }

const matcher = (routes: ReadonlyArray<MappedRoute>) => {
  const router = FindMyWay.make<Entry>(routerConfig)
  for (const route of routes) {
    const { mappings, method, segments } = route
    router.on(method, RoutePattern.toRouter(segments), { segments, mappings, about: aboutOf(route) })
  }
  // as the router does
  return (method: string, url: string) =>
    router.find(method, url) ?? (method === "HEAD" ? router.find("GET", url) : undefined)
}

const ofProtocol = ({ depth, method, path, scopes }: ProtocolRoute): Route => ({
  method,
  segments: RoutePattern.ofEndpoint(path),
  scopes,
  route: undefined,
  path,
  depth
})

const build = (
  api: ServiceApi.AnyApi,
  mappings: ReadonlyArray<Mapping>,
  protocols: ReadonlyArray<ProtocolRoute>
): ScopeTable["Service"] => {
  const routes = [...defaults(api), ...protocols.map(ofProtocol)].map((route): MappedRoute => ({
    ...route,
    mappings: mappings.filter(({ method, segments }) =>
      method === route.method && RoutePattern.covers(route.segments, segments)
    ).toSorted(byName)
  }))
  const used = new Set(routes.flatMap((route) => route.mappings))
  const own = matcher(routes)
  const others = matcher(
    mappings.filter((mapping) => !used.has(mapping)).map((mapping) => ({
      ...mapping,
      route: undefined,
      path: undefined,
      mappings: []
    }))
  )
  const endpoints = new Map(routes.map((route) => [route.route, route]))

  return {
    requirement: (method, url) => {
      const found = own(method, url)
      if (found === undefined) {
        const other = others(method, url)
        return other?.handler.about(other.params)
      }
      const { handler: { about, mappings, segments }, params } = found
      const requirement = about(params)
      // a mapping compares the values, so that it holds for every spelling of the path
      const scopes = mappings.length === 0
        ? undefined
        : mappedScopes(mappings, segments.map((segment) => valueOf(segment, params)))
      return scopes === undefined ? requirement : { ...requirement, scopes }
    },
    ofEndpoint: (route) => {
      const endpoint = endpoints.get(route)
      if (endpoint === undefined) throw new Error(`The API has no endpoint ${route}`)
      const { mappings, scopes, segments } = endpoint
      const valueIn = (params: Params) => (segment: RoutePattern.Segment) => {
        const value = "literal" in segment ? segment.literal : params[segment.name]
        return value === "*" ? undefined : value
      }
      return {
        native: scopes,
        mapped: mappings.length === 0
          ? noScopes
          : (params) => mappedScopes(mappings, segments.map(valueIn(params))) ?? unscoped
      }
    }
  }
}

const unmapped = new WeakMap<ServiceApi.AnyApi, WeakMap<ReadonlyArray<ProtocolRoute>, ScopeTable["Service"]>>()
const none: ReadonlyArray<ProtocolRoute> = []

/** A process can have many services, and most have no mappings: they share one table. */
export const make = (
  api: ServiceApi.AnyApi,
  mappings: ReadonlyArray<Mapping>,
  protocols: ReadonlyArray<ProtocolRoute> = none
): ScopeTable["Service"] => {
  if (mappings.length > 0) return build(api, mappings, protocols)
  const ofApi = unmapped.get(api) ?? new WeakMap<ReadonlyArray<ProtocolRoute>, ScopeTable["Service"]>()
  unmapped.set(api, ofApi)
  const known = ofApi.get(protocols) ?? build(api, [], protocols)
  ofApi.set(protocols, known)
  return known
}

/**
 * Whether the caller has all required scopes. A list is shown in part to callers who may see some of it. What a route
 * does decides whether it is for callers of a tenant, and no mapping.
 */
export const meets = (
  grants: Scope.Grants | undefined,
  { listed, native, scopes, target }: Requirement
): boolean =>
  !native.some((scope) => Scope.isWithheld(grants, scope)) &&
  scopes.every((scope) =>
    grants !== undefined && (
      Scope.allows(grants, scope, target) ||
      (listed !== undefined && scope === `${listed}:read` && Scope.visible(grants, listed) !== undefined)
    )
  )
