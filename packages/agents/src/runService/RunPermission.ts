// Whether a caller may start and continue runs of a component. Every way in ends in the run service, which asks here.
// What acts later, such as a schedule, is asked when it is made: it starts its runs as the service itself.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"
import { Context, Effect } from "effect"
import type { ComponentRef } from "./Components.ts"
import { RunForbidden } from "./RunServiceErrors.ts"

/** The scopes that the route needs which starts runs of the component. An operator can map it to other ones. */
export class RunScopes extends Context.Service<
  RunScopes,
  (component: ComponentRef) => ReadonlyArray<string>
>()("@svc-runtime/agents/runService/RunPermission/RunScopes") {}

export const check = (
  principal: Principal.Principal,
  component: ComponentRef,
  scopes: RunScopes["Service"]
): Effect.Effect<void, RunForbidden> => {
  if (principal.credential === "internal" || !principal.isScoped) return Effect.void
  const { id, kind } = component
  const { resource } = ComponentKind.descriptions[kind]
  const needed = new Set([`${resource}:run`, ...scopes(component)])
  const missing = [...needed].filter((scope) => !Principal.may(principal, scope, { resource, id }))
  return missing.length === 0 ? Effect.void : Effect.fail(new RunForbidden({ scopes: missing }))
}
