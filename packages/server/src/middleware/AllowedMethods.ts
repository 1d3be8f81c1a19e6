// The methods of a path, from the API: the router does not report them when no route matches.
import { Api } from "@svc/api"
import { HttpApi } from "effect/http-api"
import { mcpPath } from "../Settings.ts"

interface Route {
  readonly method: string
  readonly pattern: RegExp
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.split("/").map((segment) => segment.startsWith(":") ? "[^/]+" : escape(segment)).join("/")}/?$`)

let table: ReadonlyArray<Route> | undefined

const routes = (): ReadonlyArray<Route> => {
  if (table !== undefined) return table
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push({ method: endpoint.method, pattern: patternOf(endpoint.path) })
    }
  })
  table = found
  return found
}

/** The pages that are served beside the API. */
const docs = /^\/(openapi\.json|docs|docs\/oauth2-redirect|redoc)\/?$/

const mcp = new RegExp(`^${mcpPath}/?$`)

export interface Served {
  readonly docs: boolean
  readonly mcp: boolean
}

export const allowedMethods = (url: string, served: Served): ReadonlyArray<string> => {
  const path = url.split("?")[0] ?? url
  if (served.docs && docs.test(path)) return ["GET"]
  if (served.mcp && mcp.test(path)) return ["POST", "DELETE"]
  return routes().filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}
