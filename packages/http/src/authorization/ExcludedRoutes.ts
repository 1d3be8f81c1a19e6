// Routes without authentication. Their tokens are not read.
import { FindMyWay } from "effect/http"
import { routerConfig } from "../requests/routerConfig.ts"
import * as RoutePattern from "./RoutePattern.ts"

export const defaultExcludedRoutes: ReadonlyArray<string> = [
  "/",
  "/health",
  "/ready",
  "/info",
  "/docs",
  "/redoc",
  "/openapi.json",
  "/docs/oauth2-redirect"
]

/** A `*` stands for one segment. Whether a path is excluded does not depend on the method. */
export const make = (paths: ReadonlyArray<string>): (url: string) => boolean => {
  const router = FindMyWay.make<true>(routerConfig)
  for (const pattern of new Set(paths.map((path) => RoutePattern.toRouter(RoutePattern.ofOperator(path))))) {
    router.on("GET", pattern, true)
  }
  return (url) => router.find("GET", url) !== undefined
}
