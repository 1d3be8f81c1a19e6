// Finds the route that a request to an unknown path was probably meant for: `/agents/x/run` is `/agents/x/runs`.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as RoutePattern from "../authorization/RoutePattern.ts"

export interface Route {
  readonly method: string
  readonly segments: ReadonlyArray<RoutePattern.Segment>
}

/** Longer paths are not compared. */
const longest = 400
const most = 8

/** What other services call it. */
const synonyms: Readonly<Record<string, string>> = {
  approve: "resolve",
  assistants: "agents",
  factories: "agents",
  generate: "runs",
  invoke: "runs",
  reject: "resolve",
  stream: "runs",
  threads: "sessions"
}

const isNear = (given: string, literal: string): boolean =>
  (Object.hasOwn(synonyms, given) && synonyms[given] === literal) ||
  Misspelling.meant(given, new Set([literal])) !== undefined

/** The path with the segments of the route, and how many of them are others. Undefined: it is another route. */
const filled = (given: ReadonlyArray<string>, { segments }: Route) => {
  if (segments.length !== given.length) return undefined
  let [errors, equal] = [0, 0]
  const path: Array<string> = []
  for (const [index, segment] of segments.entries()) {
    const own = given[index] ?? ""
    if ("name" in segment) path.push(own)
    else if (segment.literal === own) {
      equal++
      path.push(own)
    } else if (segment.literal !== "*" && isNear(own, segment.literal)) {
      errors++
      path.push(segment.literal)
    } else return undefined
  }
  return errors + equal === 0 ? undefined : { errors, path: `/${path.join("/")}` }
}

const prefixes: ReadonlySet<string> = new Set(["api", "v1"])

/** As other services have it, with other first segments or without one. */
const variants = (given: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const after = given.findIndex((segment) => !prefixes.has(segment))
  return after > 0 ? [given, ["v1", ...given.slice(after)], given.slice(after)] : [given, ["v1", ...given]]
}

/** The path of a request in a sentence. */
export const shown = (url: string): string => {
  const path = url.split("?")[0] ?? url
  return path.length > longest ? `${path.slice(0, longest)}…` : path
}

/** `POST /agents/x/runs`. Undefined: no route is near. */
export const of = (method: string, url: string, routes: ReadonlyArray<Route>): string | undefined => {
  const path = url.split("?")[0] ?? url
  const given = RoutePattern.split(path)
  if (path.length > longest || given.length === 0 || given.length > most) return undefined
  const sameMethod = routes.filter((route) => route.method === method)
  const found = variants(given).flatMap((variant) => sameMethod.flatMap((route) => filled(variant, route) ?? []))
  const [nearest] = found.sort((one, other) => one.errors - other.errors)
  return nearest === undefined ? undefined : `${method} ${nearest.path}`
}
