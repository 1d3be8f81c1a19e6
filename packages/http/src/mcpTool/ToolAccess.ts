// Checks whether a caller may use a tool: it requires the scope of the corresponding REST route.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as Principal from "@svc-runtime/domain/Principal"
import type * as Scope from "@svc-runtime/domain/Scope"
import { Effect } from "effect"
import { CurrentAccess } from "../authorization/CurrentAccess.ts"

export const required = Effect.fnUntraced(function*(scope: string, target?: Scope.Target) {
  const principal = yield* CurrentPrincipal
  if (Principal.may(principal, scope, target)) return
  const access = yield* CurrentAccess
  if (access !== undefined) access.missingScope = scope
  return yield* Errors.forbidden(`Insufficient permissions. Required scope(s): ${scope}`)
})

/** Whether there may be something that the caller can run. */
export const mayRunSome = (resources: ReadonlyArray<Scope.PerResource>) => (principal: Principal.Principal): boolean =>
  resources.some((resource) => {
    const runnable = Principal.visible(principal, resource, "run")
    return runnable === "all" || runnable.size > 0
  })
