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

/** A mapping of a route that does not exist protects nothing: it may be misspelt. */
export const unservedMapping = (
  mappings: ReadonlyArray<Mapping>,
  known: ReadonlyArray<Known>
): string | undefined => {
  const found = mappings.find((mapping) => {
    const method = mapping.method === "HEAD" ? "GET" : mapping.method
    return !known.some((own) =>
      own.method === method && RoutePattern.covers(RoutePattern.ofEndpoint(own.path), mapping.segments)
    )
  })
  return found === undefined
    ? undefined
    : `The scope mapping "${RoutePattern.keyOf(found.method, found.segments)}" is of a route that does not exist. ` +
      "GET /openapi.json lists the routes, and the option routes adds others"
}

/** For the scope table. A path that ends with `/*` is served without its last segment too. */
export const toScoped = ({ method, path, scope }: DeclaredRoute): ReadonlyArray<ProtocolRoute> => {
  const scopes = scope === undefined || scope === "none" ? [] : [scope]
  const paths = path.endsWith("/*") ? [path, path.slice(0, -2) as `/${string}`] : [path]
  return paths.map((each) => ({ method, path: each, scopes, depth: 0 }))
}
