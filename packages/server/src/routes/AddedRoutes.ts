// Serves added routes. Its router takes declared routes only: the scopes of others are unknown.
// @effect-diagnostics anyUnknownInErrorContext:off -- layers may fail with anything; here it becomes `InvalidConfig`
import { LimitedToSession } from "@svc-runtime/agents/runService/RunServiceErrors"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import * as RoutePattern from "@svc-runtime/http/authorization/RoutePattern"
import { errorResponse } from "@svc-runtime/http/middleware/ErrorResponses"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { InvalidConfig } from "../Config.ts"
import type { DeclaredRoute } from "./DeclaredRoute.ts"
import type { OuterMiddleware } from "./OuterMiddleware.ts"
import type { Route } from "./Route.ts"

const keyOf = (method: string, path: string) => RoutePattern.keyOf(method, RoutePattern.ofEndpoint(path))

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

/** What the layers of routes added. */
class Additions {
  readonly undeclared: Array<string> = []
  readonly served = new Set<string>()
  readonly #declared: ReadonlyMap<string, DeclaredRoute>

  constructor(declared: ReadonlyArray<DeclaredRoute>) {
    this.#declared = new Map(declared.map((route) => [keyOf(route.method, route.path), route]))
  }

  /** Undefined if the route is not declared. */
  checked(route: HttpRouter.Route<unknown, unknown>, path: string): HttpRouter.Route<unknown, unknown> | undefined {
    const key = keyOf(route.method, path)
    const declared = this.#declared.get(key)
    if (declared === undefined) {
      this.undeclared.push(nameOf({ method: route.method, path }))
      return undefined
    }
    this.served.add(key)
    return { ...route, handler: admitted(declared, route.handler) }
  }

  problem(): string | undefined {
    if (this.undeclared.length > 0) {
      return `The route ${this.undeclared[0]} does not say which scope it needs. Declare it beside its layer`
    }
    const missing = [...this.#declared].find(([key]) => !this.served.has(key))
    return missing === undefined ? undefined : `The route ${nameOf(missing[1])} is declared, and no layer adds it`
  }
}

/** A request gets to the handler only after access control has checked the scopes of this route. */
const admitted = <A, E, R>(declared: DeclaredRoute, handler: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const access = fiber.getRef(CurrentAccess)
    const isChecked = access !== undefined &&
      (access.isExcluded || [declared.path, declared.path.replace(/\/\*$/, "")].includes(access.path ?? ""))
    if (!isChecked) {
      return Effect.die(new Error(`${nameOf(declared)} was reached without a decision of access control`))
    }
    return declared.admitsSessionTokens === true || access.principal.session_id === undefined
      ? handler
      : Effect.die(errorResponse(403, "FORBIDDEN", new LimitedToSession().message))
  })

const routerOf = (router: HttpRouter.HttpRouter, additions: Additions, prefix = ""): HttpRouter.HttpRouter => {
  const addAll: HttpRouter.HttpRouter["addAll"] = (routes) =>
    router.addAll(routes.flatMap((route) => additions.checked(route, `${prefix}${route.path}`) ?? []) as never)
  return {
    ...router,
    addAll,
    add: (method, path, handler, options) => addAll([HttpRouter.route(method, path, handler, options)]),
    prefixed: (more) => routerOf(router.prefixed(more), additions, `${prefix}${more.replace(/\/$/, "")}`)
  }
}

/** Fails if a route is added that is not declared, or the other way round. */
export const layer = (
  routes: ReadonlyArray<Route>,
  middleware: ReadonlyArray<Layer.Layer<never, unknown, OuterMiddleware>>
): Layer.Layer<never, InvalidConfig, OuterMiddleware> => {
  const [first, ...others] = [...middleware, ...routes.map(({ layer }) => layer)]
  if (first === undefined) return Layer.empty
  const additions = new Additions(routes.flatMap(({ declared }) => declared))
  const checked = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.map(HttpRouter.HttpRouter, (router) => routerOf(router, additions))
  )
  const failed = (cause: unknown) =>
    Layer.effectDiscard(Effect.fail(
      new InvalidConfig({
        message: `A route could not be made: ${UserCode.messageOf(new UserCode.UserError({ cause }), "it failed")}`
      })
    ))
  const complete = Effect.suspend(() => {
    const message = additions.problem()
    return message === undefined ? Effect.void : Effect.fail(new InvalidConfig({ message }))
  })
  return Layer.effectDiscard(complete).pipe(
    Layer.provide(Layer.catch(Layer.mergeAll(first, ...others), failed)),
    Layer.provide(checked)
  )
}
