// The methods of a path, from the API and the protocols: the router does not report them when no route matches.
import type { ServiceApi } from "@svc-runtime/api"
import { HttpApi } from "effect/http-api"
import type { ProtocolRoute } from "../authorization/ProtocolRoute.ts"
import { ofEndpoint } from "../authorization/RoutePattern.ts"
import { mcpPath } from "../Settings.ts"

interface Route {
  readonly method: string
  readonly pattern: RegExp
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** In the syntax of the router. */
const patternOf = (path: string): RegExp => {
  const segments = ofEndpoint(path).map((segment) =>
    "name" in segment ? "[^/]+" : segment.literal === "*" ? ".*" : escape(segment.literal)
  )
  return new RegExp(`^/${segments.join("/")}/?$`)
}

const known = new WeakMap<ReadonlyArray<ProtocolRoute>, ReadonlyArray<Route>>()

const ofProtocols = (served: ReadonlyArray<ProtocolRoute>): ReadonlyArray<Route> => {
  const found = known.get(served) ?? served.map(({ method, path }) => ({ method, pattern: patternOf(path) }))
  known.set(served, found)
  return found
}

const tables = new WeakMap<ServiceApi.AnyApi, ReadonlyArray<Route>>()

const routes = (api: ServiceApi.AnyApi): ReadonlyArray<Route> => {
  const table = tables.get(api)
  if (table !== undefined) return table
  const found: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push({ method: endpoint.method, pattern: patternOf(endpoint.path) })
    }
  })
  tables.set(api, found)
  return found
}

/** The pages that are served beside the API. */
const docs = /^\/(openapi\.json|docs|docs\/oauth2-redirect|redoc)\/?$/

const mcp = new RegExp(`^${mcpPath}/?$`)

export interface Served {
  readonly api: ServiceApi.AnyApi
  readonly docs: boolean
  readonly mcp: boolean
  readonly protocols: ReadonlyArray<ProtocolRoute>
}

export const allowedMethods = (url: string, served: Served): ReadonlyArray<string> => {
  const path = url.split("?")[0] ?? url
  if (served.docs && docs.test(path)) return ["GET"]
  if (served.mcp && mcp.test(path)) return ["POST", "DELETE"]
  const all = [...routes(served.api), ...ofProtocols(served.protocols)].filter(({ pattern }) => pattern.test(path))
  return [...new Set(all.map(({ method }) => method))]
}
