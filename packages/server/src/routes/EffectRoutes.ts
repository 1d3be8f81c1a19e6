// Added routes that are layers of Effect's router.
import { RequiredScope, requires as requiresScope, type ScopeName } from "@svc-runtime/api/RequiredScope"
import { Context, Layer } from "effect"
import { HttpApi, HttpApiBuilder, type HttpApiGroup, OpenApi } from "effect/http-api"
import type { DeclaredRoute, Method } from "./DeclaredRoute.ts"
import type { OuterMiddleware } from "./OuterMiddleware.ts"
import * as RouteDocument from "./RouteDocument.ts"

export interface Route {
  readonly _tag: "Route"
  readonly declared: ReadonlyArray<DeclaredRoute>
  /** Adds the routes to the router of the service. */
  readonly layer: Layer.Layer<never, unknown, OuterMiddleware>
  /** What the document of the API has of them. */
  readonly document: () => RouteDocument.Part
}

/** Declares the scope of an endpoint of an `HttpApi`, for `annotateMerge`. */
export const requires = requiresScope

/**
 * The endpoints of an `HttpApi`, with the layer of its groups. Each endpoint is annotated with `Route.requires`, and
 * its handler has the caller as `CurrentPrincipal`.
 */
export const api = <Id extends string, Groups extends HttpApiGroup.Constraint, E>(
  api: HttpApi.HttpApi<Id, Groups>,
  groups: Layer.Layer<HttpApiGroup.ToService<Id, Groups>, E, OuterMiddleware>
): Route => {
  const declared: Array<DeclaredRoute> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      declared.push({
        method: endpoint.method as Method,
        path: endpoint.path as `/${string}`,
        scope: Context.getOrUndefined(endpoint.annotations, RequiredScope)
      })
    }
  })
  return {
    _tag: "Route",
    declared,
    layer: Layer.provide(HttpApiBuilder.layer(api), groups),
    document: () => RouteDocument.ofDocument(OpenApi.fromApi(api))
  }
}

/** Each route of the layer with its scope, such as `{ "GET /orders/:order_id": "orders:read" }`. */
export type Scopes = Readonly<Record<`${Method} /${string}`, ScopeName>>

/** A layer that adds routes to the `HttpRouter`. A route that it adds without a scope prevents the start. */
export const layer = <E>(routes: Layer.Layer<never, E, OuterMiddleware>, scopes: Scopes): Route => {
  const declared = Object.entries(scopes).map(([route, scope]): DeclaredRoute => {
    const [method = "", path = ""] = route.split(" ")
    return { method: method as Method, path: path as `/${string}`, scope }
  })
  return {
    _tag: "Route",
    declared,
    layer: routes,
    document: () => RouteDocument.merged(declared.map(RouteDocument.ofRoute))
  }
}
