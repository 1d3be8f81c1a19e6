// What an added route declares, and why a service cannot have it.
import type { ScopeName } from "@svc-runtime/api/RequiredScope"
import * as Scope from "@svc-runtime/domain/Scope"
import type { ProtocolRoute } from "@svc-runtime/http/authorization/ProtocolRoute"
import * as RoutePattern from "@svc-runtime/http/authorization/RoutePattern"
import type { Mapping } from "@svc-runtime/http/authorization/ScopeMappings"
import { mcpPath } from "@svc-runtime/http/Settings"
import * as ConsoleRoutes from "../console/ConsoleRoutes.ts"
import * as WorkflowSocket from "../ws/WorkflowSocket.ts"

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
export type Method = typeof methods[number]

export interface DeclaredRoute {
  readonly method: Method
  /** In the syntax of the router. */
  readonly path: `/${string}`
  /** Undefined: it was left out, and the service does not start. */
  readonly scope: ScopeName | undefined
  /** Default: false. */
  readonly admitsSessionTokens?: boolean | undefined
}

/** A path of the service, with its method. */
export interface Known {
  readonly method: string
  readonly path: string
}

const segment = /^(:[A-Za-z_]\w*|[\w.~!$&'()+,;=@-]+)$/

const isPath = (path: string): boolean => {
  const segments = (path.endsWith("/*") ? path.slice(0, -2) : path).split("/").slice(1)
  return path.startsWith("/") && segments.length > 0 && segments.every((text) => segment.test(text))
}

/** Routes that are neither of the API nor of a protocol. */
const others: ReadonlyArray<Known> = [
  ...["/docs", "/docs/oauth2-redirect", "/redoc", "/openapi.json", ...WorkflowSocket.paths, ...ConsoleRoutes.paths].map(
    (path) => ({
      method: "GET",
      path
    })
  ),
  ...["GET", "POST", "DELETE"].map((method) => ({ method, path: mcpPath }))
]

export const builtIn = (api: ReadonlyArray<Known>, protocols: ReadonlyArray<Known>): ReadonlyArray<Known> => [
  ...api,
  ...protocols,
  ...others
]

const isAny = (text: string | undefined): boolean => text !== undefined && /^:[^:]/.test(text)

/** Whether a request can be for both. */
export const overlap = (one: string, other: string): boolean => {
  const [a, b] = [RoutePattern.split(one), RoutePattern.split(other)]
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]]
    if (left === "*" || right === "*") return true
    if (left === undefined || right === undefined) return (left ?? a.at(-1)) === "*" || (right ?? b.at(-1)) === "*"
    if (left !== right && !isAny(left) && !isAny(right)) return false
  }
  return true
}

const problemOfOne = (
  { method, path, scope }: DeclaredRoute,
  admin: string,
  known: ReadonlyArray<Known>
): string | undefined => {
  const named = `The route ${method} ${path}`
  if (!(methods as ReadonlyArray<string>).includes(method)) {
    return `${named} has a method that cannot be added. The methods are ${methods.join(", ")}`
  }
  if (!isPath(path)) return `${named} has a path that cannot be added. Write it as /orders/:order_id or /files/*`
  if (scope === undefined) {
    return `${named} does not say which scope it needs. Declare one, such as orders:read, or none for every caller ` +
      "who is authenticated"
  }
  if (scope !== "none" && !Scope.isScope(scope, admin)) return `${named} names what is no scope: ${scope}`
  const taken = known.find((own) => own.method === method && overlap(own.path, path))
  return taken === undefined
    ? undefined
    : `${named} would take requests from ${taken.method} ${taken.path} of the service. Give it another path`
}

/** Why a service cannot have these routes. */
export const problemOf = (
  declared: ReadonlyArray<DeclaredRoute>,
  admin: string,
  known: ReadonlyArray<Known>
): string | undefined => {
  const seen = new Set<string>()
  const repeated = declared.find(({ method, path }) => {
    const key = RoutePattern.keyOf(method, RoutePattern.ofEndpoint(path))
    const isSeen = seen.has(key)
    seen.add(key)
    return isSeen
  })
  if (repeated !== undefined) return `The route ${repeated.method} ${repeated.path} is there twice`
  return declared.map((route) => problemOfOne(route, admin, known)).find((problem) => problem !== undefined)
}

const sockets = WorkflowSocket.paths.map(RoutePattern.ofEndpoint)

/**
 * Why the mapping protects nothing: a route that does not exist may be misspelt, and nothing asks for the scopes of
 * open routes and of sockets, which are opened before their caller is known.
 */
const problemOfMapping = (
  { method, segments }: Mapping,
  known: ReadonlyArray<Known>,
  open: ReadonlyArray<ReadonlyArray<RoutePattern.Segment>>
): string | undefined => {
  const isOf = (route: ReadonlyArray<RoutePattern.Segment>) => RoutePattern.covers(route, segments)
  if (!known.some((own) => own.method === method && isOf(RoutePattern.ofEndpoint(own.path)))) {
    return "a route that does not exist. GET /openapi.json lists the routes, and the option routes adds others"
  }
  if (sockets.some(isOf)) {
    return "a socket, which is open to all. Map POST /workflows/*/runs, which holds for sockets too"
  }
  return open.some(isOf)
    ? "a route that needs no credential. Leave the route out of excludedRoutes, or remove the mapping"
    : undefined
}

/** `open`: the patterns of the routes without authentication. */
export const uselessMapping = (
  mappings: ReadonlyArray<Mapping>,
  known: ReadonlyArray<Known>,
  open: ReadonlyArray<string>
): string | undefined => {
  const patterns = open.map(RoutePattern.ofOperator)
  const problems = mappings.flatMap((mapping) => {
    const problem = problemOfMapping(mapping, known, patterns)
    return problem === undefined
      ? []
      : [`The scope mapping "${RoutePattern.keyOf(mapping.method, mapping.segments)}" is of ${problem}`]
  })
  return problems[0]
}

/** For the scope table. A path that ends with `/*` is served without its last segment too. */
export const toScoped = ({ method, path, scope }: DeclaredRoute): ReadonlyArray<ProtocolRoute> => {
  const scopes = scope === undefined || scope === "none" ? [] : [scope]
  const paths = path.endsWith("/*") ? [path, path.slice(0, -2) as `/${string}`] : [path]
  return paths.map((each) => ({ method, path: each, scopes, depth: 0 }))
}
