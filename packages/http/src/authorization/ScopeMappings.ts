// The mapping of an operator: from `<METHOD> <path>` to the required scopes. An invalid mapping
// stops the start, because a route that the operator wants to close would be open.
import * as Scope from "@svc-runtime/domain/Scope"
import { Result } from "effect"
import * as RoutePattern from "./RoutePattern.ts"

/** In the path `*`, `{name}` and `:name` match one segment. An empty list admits every authenticated caller. */
export type ScopeMappings = Readonly<Record<string, ReadonlyArray<string>>>

export interface Mapping {
  readonly method: string
  readonly segments: ReadonlyArray<RoutePattern.Segment>
  readonly scopes: ReadonlyArray<string>
}

/** `HEAD` needs the scopes of `GET`. */
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const decodeOne = (key: string, scopes: ReadonlyArray<string>, admin: string): Result.Result<Mapping, string> => {
  const [method = "", path = "", ...rest] = key.split(" ")
  const refuse = (why: string) => Result.fail(`The scope mapping "${key}" ${why}`)
  if (!methods.includes(method) || !path.startsWith("/") || rest.length > 0) {
    return refuse(`is not of the form "<METHOD> <path>", with one of ${methods.join(", ")}`)
  }
  if (RoutePattern.hasPartialWildcard(path)) {
    return refuse("has a wildcard that is not a whole segment: write * or {name}")
  }
  const unknown = scopes.filter((scope) => !Scope.isScope(scope, admin))
  if (unknown.length > 0) return refuse(`names what is no scope: ${unknown.join(", ")}`)
  return Result.succeed({ method, segments: RoutePattern.ofOperator(path), scopes })
}

export const decode = (mappings: ScopeMappings, admin: string): Result.Result<ReadonlyArray<Mapping>, string> => {
  const decoded = Result.all(Object.entries(mappings).map(([key, scopes]) => decodeOne(key, scopes, admin)))
  if (Result.isFailure(decoded)) return decoded
  const seen = new Set<string>()
  for (const { method, segments } of decoded.success) {
    const key = RoutePattern.keyOf(method, segments)
    if (seen.has(key)) return Result.fail(`"${key}" is mapped twice, under different names`)
    seen.add(key)
  }
  return decoded
}
