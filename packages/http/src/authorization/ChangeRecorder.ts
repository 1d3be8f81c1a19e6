// Records who changed what. Access control knows the caller and the route of each request, so it is the one place from
// which changes of all routes are recorded. A service without a recorder records none.
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import { Context, type Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { AccessDecision } from "./AccessControl.ts"
import * as RoutePattern from "./RoutePattern.ts"

/** A request that changes something other than a run. */
export interface Change {
  /** The user of the caller. Null if the credential names no user. */
  readonly actor: string | null
  readonly credential: Principal.Credential
  /** Method and path of the endpoint, such as `DELETE /schedules/:schedule_id`. */
  readonly action: string
  /** What is changed, by the resource of the scope, such as `schedules`. */
  readonly subject_kind: string
  /** The last parameter of the path. Empty if the request creates what it is about. */
  readonly subject_id: string
  /** The path of the request, without its query. */
  readonly path: string
  readonly request_id: string | null
}

export type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export class ChangeRecorder extends Context.Service<ChangeRecorder, {
  /** Records the change before it is made, and its response after it. A change that cannot be recorded is refused. */
  readonly recorded: <E, R>(change: Change, app: App<E, R>) => App<E, R>
}>()("@svc-runtime/http/authorization/ChangeRecorder") {}

/** Runs and reads are no changes, and those of service accounts are recorded with the accounts. */
const isChange = ({ action, resource }: Scope.Scope): boolean =>
  action !== "run" && action !== "read" && resource !== "service_accounts"

const maxPath = 1024

const lastParameter = (route: string, path: string): string => {
  const segments = RoutePattern.ofEndpoint(route)
  const values = RoutePattern.split(path)
  const at = segments.findLastIndex((segment) => "name" in segment)
  const value = values[at]
  if (value === undefined) return ""
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Undefined: the request changes nothing, or its caller is not known. */
export const changeOf = (
  { method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">,
  { native, path: route, principal }: AccessDecision,
  request_id: string | undefined
): Change | undefined => {
  if (method === "GET" || method === "HEAD" || principal.credential === "open") return undefined
  const scope = native.map(Scope.parse).find((parsed) => parsed !== undefined && isChange(parsed))
  if (scope === undefined) return undefined
  const path = (url.split("?")[0] ?? "").slice(0, maxPath)
  return {
    actor: principal.user_id ?? null,
    credential: principal.credential,
    action: `${method} ${route ?? path}`,
    subject_kind: scope.resource,
    subject_id: route === undefined ? "" : lastParameter(route, path).slice(0, maxPath),
    path,
    request_id: request_id ?? null
  }
}
