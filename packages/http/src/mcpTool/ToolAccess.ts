// Checks whether a caller may use a tool or a resource: it requires the scopes of the endpoint that does the same, and
// those to which an operator has mapped it.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import { Effect } from "effect"
import { CurrentAccess } from "../authorization/CurrentAccess.ts"
import { type Params, ScopeTable } from "../authorization/ScopeTable.ts"

export const required = Effect.fnUntraced(function*(scopes: ReadonlyArray<string>, target?: Scope.Target) {
  const principal = yield* CurrentPrincipal
  const scope = scopes.find((scope) => !Principal.may(principal, scope, target))
  if (scope === undefined) return
  const access = yield* CurrentAccess
  // a client asks for what is missing, and there is no way to get what is withheld
  if (access !== undefined && !Scope.isWithheld(principal.grants, scope)) access.missingScope = scope
  return yield* Errors.forbidden(Scope.refusal(principal.grants, [scope]))
})

/** An endpoint, such as `GET /agents/:agent_id`, with the values of its parameters. */
export interface Endpoint {
  readonly route: string
  readonly params?: Params
  readonly target?: Scope.Target
}

/** Checks by the endpoint that does the same. */
export const make = Effect.map(ScopeTable, (table) => {
  const scopesOf = ({ params = {}, route }: Endpoint) => {
    const { mapped, native } = table.ofEndpoint(route)
    const added = mapped(params)
    return added.length === 0 ? native : [...native, ...added]
  }
  return {
    required: (endpoint: Endpoint) => required(scopesOf(endpoint), endpoint.target),
    may: (endpoint: Endpoint) => {
      const scopes = scopesOf(endpoint)
      return (principal: Principal.Principal) =>
        scopes.every((scope) => Principal.may(principal, scope, endpoint.target))
    }
  }
})

export type ToolAccess = Effect.Success<typeof make>

/** Whether there may be something that the caller can run. */
export const mayRunSome = (resources: ReadonlyArray<Scope.PerResource>) => (principal: Principal.Principal): boolean =>
  resources.some((resource) => {
    const runnable = Principal.visible(principal, resource, "run")
    return runnable === "all" || runnable.size > 0
  })
