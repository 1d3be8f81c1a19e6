// The door of the service. Every request passes it before it is routed: who is calling, and do they hold what the route
// needs. What is added to the service later stands behind it too, known callers only, until somebody maps or excludes it.
import { type AuthenticationFailure, Authenticator, type AuthSettings } from "@svc/auth"
import type { Principal } from "@svc/domain"
import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Credential from "./Credential.ts"
import * as ExcludedRoutes from "./ExcludedRoutes.ts"
import type { Mapping } from "./ScopeMappings.ts"
import * as ScopeTable from "./ScopeTable.ts"

/** The caller is known, and does not hold what is needed. */
export class ScopesMissing {
  readonly _tag = "ScopesMissing"
  readonly scopes: ReadonlyArray<string>
  constructor(scopes: ReadonlyArray<string>) {
    this.scopes = scopes
  }
}

export interface Admission {
  readonly principal: Principal.Principal
  /** The endpoint whose scopes were looked at; undefined when there was none, or none had to be looked at. */
  readonly route: string | undefined
  readonly isExcluded: boolean
}

export interface Options {
  readonly mappings: ReadonlyArray<Mapping>
  readonly excludedRoutes: ReadonlyArray<string>
}

export class AccessControl extends Context.Service<AccessControl, {
  readonly settings: AuthSettings
  readonly admit: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<Admission, AuthenticationFailure | ScopesMissing>
}>()("@svc/server/authorization/AccessControl") {
  static readonly layer = (options: Options): Layer.Layer<AccessControl, never, Authenticator> =>
    Layer.effect(AccessControl, make(options))
}

const make = Effect.fnUntraced(function*(options: Options) {
  const { authenticate, excluded, settings } = yield* Authenticator
  const table = ScopeTable.make(options.mappings)
  const isExcluded = ExcludedRoutes.make(options.excludedRoutes)
  const passed: Admission = { principal: excluded, route: undefined, isExcluded: true }

  const judge = (
    principal: Principal.Principal,
    { method, url }: HttpServerRequest.HttpServerRequest
  ): Effect.Effect<Admission, ScopesMissing> => {
    const requirement = table.requirement(method, url)
    return requirement === undefined || !principal.isScoped || ScopeTable.meets(principal.grants, requirement)
      ? Effect.succeed({ principal, route: requirement?.route, isExcluded: false })
      : Effect.fail(new ScopesMissing(requirement.scopes))
  }

  return AccessControl.of({
    settings,
    admit: (request) => {
      // A preflight carries no credentials, and nothing answers to it but the rules for other origins.
      if (request.method === "OPTIONS" || isExcluded(request.url)) return Effect.succeed(passed)
      const address = Option.getOrUndefined(request.remoteAddress)
      return Effect.flatMap(
        authenticate(Credential.read(request, settings), address),
        (principal) => judge(principal, request)
      )
    }
  })
})
