// The endpoint check, after the router has selected the endpoint. It requires three things: the endpoint is the one
// whose scopes access control has checked, a token for one session may use it, and the caller has the native scopes of
// agents, teams and workflows. So mapping one of their routes to another scope can remove access, but never grants it.
import { LimitedToSession } from "@svc-runtime/agents/runService/RunServiceErrors"
import { Authorization, Errors, RequiredScope } from "@svc-runtime/api"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import { Context, Effect, Layer, type Types } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CurrentAccess } from "../authorization/CurrentAccess.ts"
import * as RoutePattern from "../authorization/RoutePattern.ts"
import * as SessionLimit from "../authorization/SessionLimit.ts"

/** The native scopes of an endpoint, and its component. Undefined if its scopes are of no particular component. */
interface Native {
  readonly scope: string
  readonly resource: Scope.PerResource
  readonly action: string
  /** The parameter that names the one thing; undefined for lists. */
  readonly parameter: string | undefined
}

const nativeOf = (endpoint: HttpApiEndpoint.Top): Native | undefined => {
  const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
  if (scope === undefined || scope === "none") return undefined
  const { action, resource } = Scope.parse(scope) ?? {}
  if (!Scope.isPerResource(resource) || action === undefined) return undefined
  const named = RoutePattern.ofEndpoint(endpoint.path)[1]
  return { scope, resource, action, parameter: named !== undefined && "name" in named ? named.name : undefined }
}

const limited = Errors.forbidden(new LimitedToSession().message)

const refusedOne = ({ action, resource }: Native) =>
  Errors.forbidden(`Access denied to ${action} this ${resource.slice(0, -1)}`)

const refusedList = ({ scope }: Native) => Errors.forbidden(`Insufficient permissions. Required scope(s): ${scope}`)

const check = (
  principal: Principal.Principal,
  native: Native,
  params: Readonly<Record<string, string | undefined>>
): Errors.Forbidden | undefined => {
  if (!principal.isScoped) return undefined
  const { action, parameter, resource, scope } = native
  const id = parameter === undefined ? undefined : params[parameter]
  if (id !== undefined) return Principal.may(principal, scope, { resource, id }) ? undefined : refusedOne(native)
  if (Principal.may(principal, scope)) return undefined
  const visible = Principal.visible(principal, resource)
  return action === "read" && (visible === "all" || visible.size > 0) ? undefined : refusedList(native)
}

export const layer: Layer.Layer<Authorization> = Layer.succeed(Authorization, (app, { endpoint }) => {
  const native = nativeOf(endpoint)
  const route = `${endpoint.method} ${endpoint.path}`
  return Effect.withFiber(
    (fiber): Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled | Errors.Forbidden> => {
      const admission = fiber.getRef(CurrentAccess)
      if (admission === undefined || (!admission.isExcluded && admission.route !== route)) {
        return Effect.die(new Error(`${route} was reached without a decision of access control`))
      }
      if (admission.isExcluded) return app
      if (!SessionLimit.admits(admission.principal, endpoint)) return Effect.fail(limited)
      if (native === undefined) return app
      const { params } = Context.getUnsafe(fiber.context, HttpRouter.RouteContext)
      const refused = check(admission.principal, native, params)
      return refused === undefined ? app : Effect.fail(refused)
    }
  )
})
