// Records who changed what. Access control knows the caller and the route of each request, so it is the one place from
// which changes of all routes are recorded. A service without a recorder records none.
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import { Context, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { AccessDecision } from "./AccessControl.ts"
import { CurrentAccess } from "./CurrentAccess.ts"
import * as RoutePattern from "./RoutePattern.ts"
import type { Params } from "./ScopeTable.ts"

/** A request that changes something other than a run. */
export interface Change {
  /** The user of the caller. Null if the credential names no user. */
  readonly actor: string | null
  readonly credential: Principal.Credential
  /** Method and path of the endpoint, such as `DELETE /schedules/:schedule_id`. */
  readonly action: string
  /** What is changed, by the resource of the scope, such as `schedules`. */
  readonly subject_kind: string
  /** The parameter of the path after the kind. Empty if the request creates what it is about, or changes many. */
  readonly subject_id: string
  /** The path of the request, without its query. */
  readonly path: string
  readonly request_id: string | null
}

export type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export class ChangeRecorder extends Context.Service<ChangeRecorder, {
  /**
   * Records the change before it is made, and its response after it. A change that cannot be recorded is refused.
   * `named` are the ids of a body, once it is read.
   */
  readonly recorded: <E, R>(
    change: Change,
    app: App<E, R>,
    named?: () => ReadonlyArray<string> | undefined
  ) => App<E, R>
}>()("@svc-runtime/http/authorization/ChangeRecorder") {}

/** Runs and reads are no changes, and those of service accounts are recorded with the accounts. */
const isChange = ({ action, resource }: Scope.Scope): boolean =>
  action !== "run" && action !== "read" && resource !== "service_accounts"

const maxPath = 1024

/** The first parameter after the kind, or else the first one of the path: `/schedules/:schedule_id/trigger`. */
const subjectOf = (kind: string, segments: ReadonlyArray<RoutePattern.Segment>, params: Params): string => {
  const after = segments.findIndex((segment) => "literal" in segment && segment.literal === kind)
  const found = segments.find((segment, index) => "name" in segment && index > after)
  return found !== undefined && "name" in found ? params[found.name] ?? "" : ""
}

/** The router reads several spellings of a path as the same one, so an entry has this one. */
const pathOf = (segments: ReadonlyArray<RoutePattern.Segment>, params: Params): string =>
  `/${segments.map((segment) => "literal" in segment ? segment.literal : params[segment.name] ?? "").join("/")}`

type Request = Pick<HttpServerRequest.HttpServerRequest, "method" | "url">
type Located = Pick<Request, "url">
type Described = Pick<Change, "action" | "subject_kind" | "subject_id">

/** A change that its handler describes. Undefined: its caller is not known. */
export const described = (
  { url }: Located,
  { principal }: Pick<AccessDecision, "principal">,
  request_id: string | undefined,
  { action, subject_id, subject_kind }: Described
): Change | undefined =>
  principal.credential === "open" ? undefined : {
    actor: Principal.ownerOfNew(principal, undefined),
    credential: principal.credential,
    action,
    subject_kind,
    subject_id: subject_id.slice(0, maxPath),
    path: (url.split("?")[0] ?? "").slice(0, maxPath),
    request_id: request_id ?? null
  }

/** Undefined: the request changes nothing, or its caller is not known. */
export const changeOf = (
  request: Request,
  decision: AccessDecision,
  request_id: string | undefined
): Change | undefined => {
  const { changes, native, params, path: route } = decision
  const { method, url } = request
  if (method === "GET" || method === "HEAD") return undefined
  const kind = changes ?? native.map(Scope.parse).find((parsed) => parsed !== undefined && isChange(parsed))?.resource
  if (kind === undefined) return undefined
  const segments = route === undefined ? undefined : RoutePattern.ofEndpoint(route)
  const path = segments === undefined ? (url.split("?")[0] ?? "").slice(0, maxPath) : pathOf(segments, params)
  return described({ url: path }, decision, request_id, {
    action: `${method} ${route ?? path}`,
    subject_kind: kind,
    subject_id: segments === undefined ? "" : subjectOf(kind, segments, params)
  })
}

/** For the audit log: the ids in the body of a request that changes many. */
export const names = (ids: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.map(CurrentAccess, (access) => {
    if (access !== undefined) access.subjects = ids
  })
