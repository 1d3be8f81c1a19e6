// The component that a request is about, its caller, and whether the caller may do it.
import type { Caller } from "@svc-runtime/agents/runService/Caller"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Principal from "@svc-runtime/domain/Principal"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import type { Operation } from "@svc-runtime/protocols/a2a/Operation"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

export interface Target {
  readonly component: ComponentRef
  readonly caller: Caller
  readonly request: HttpServerRequest.HttpServerRequest
}

export const make = (request: HttpServerRequest.HttpServerRequest, component: ComponentRef) =>
  Effect.map(RequestCaller.current(request), (caller): Target => ({ component, caller, request }))

export type Action = "read" | "run"

/** The scope of a route can be mapped to another one, which never grants what the native scope does not. */
export const allow = Effect.fnUntraced(function*({ id, kind }: ComponentRef, action: Action, refused?: string) {
  const { resource } = ComponentKind.descriptions[kind]
  const scope = `${resource}:${action}`
  const objection = (principal: Principal.Principal) =>
    !principal.isScoped || Principal.may(principal, scope, { resource, id })
      ? undefined
      : refused ?? `Insufficient permissions. Required scope(s): ${scope}`
  const refusal = objection(yield* CurrentPrincipal)
  if (refusal !== undefined) return yield* Errors.forbidden(refusal)
  const access = yield* CurrentAccess
  // the body of JSON-RPC decides on the scope, so the route does not have it
  if (access !== undefined) access.objection = objection
})

const actions: Readonly<Record<Operation["_tag"], Action>> = {
  Send: "run",
  Stream: "run",
  Get: "read",
  List: "read",
  Cancel: "run",
  Subscribe: "read",
  SetPush: "run",
  GetPush: "read",
  ListPush: "read",
  RemovePush: "run",
  Card: "read"
}

export const actionOf = ({ _tag }: Operation): Action => actions[_tag]

/** The user that an anonymous request names. The credential of the caller overrides it. */
export const userOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  metadata: Json.Object | undefined
): Ids.UserId | undefined => {
  const named = headers["x-user-id"] ?? metadata?.["userId"]
  return typeof named === "string" && named !== "" && Ids.isUserId(named) ? Ids.UserId.make(named) : undefined
}
