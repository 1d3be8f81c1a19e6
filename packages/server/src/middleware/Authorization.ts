// The second look, where the router has decided which endpoint answers. It holds two things. The endpoint is the one
// whose scopes were looked at when the request was let in. And agents, teams and workflows ask for their own scopes
// once more, so that mapping one of their routes to another scope takes access away but never grants it.
import { Authorization, Errors, RequiredScope } from "@svc/api"
import { Principal, Scope } from "@svc/domain"
import { Context, Effect, Layer, type Types } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as RoutePattern from "../authorization/RoutePattern.ts"
import { CurrentAccess } from "./AccessDecision.ts"

/** What an endpoint asks for once more, and of what; undefined when its scopes name nothing in particular. */
interface Native {
  readonly scope: string
  readonly resource: Scope.PerResource
  readonly action: string
  /** The parameter that names the one thing; undefined for lists. */
  readonly parameter: string | undefined
}

const nativeOf = (endpoint: HttpApiEndpoint.Top): Native | undefined => {
  const scope = Context.get(endpoint.annotations, RequiredScope)
  if (scope === undefined || scope === "none") return undefined
  const { action, resource } = Scope.parse(scope) ?? {}
  if (!Scope.isPerResource(resource) || action === undefined) return undefined
  const named = RoutePattern.ofEndpoint(endpoint.path)[1]
  return { scope, resource, action, parameter: named !== undefined && "name" in named ? named.name : undefined }
}

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
        return Effect.die(new Error(`${route} was reached without being let in`))
      }
      if (native === undefined || admission.isExcluded) return app
      const { params } = Context.getUnsafe(fiber.context, HttpRouter.RouteContext)
      const refused = check(admission.principal, native, params)
      return refused === undefined ? app : Effect.fail(refused)
    }
  )
})
