// Whether a caller may do something with runs of a component. Every way in ends in the run service, which asks here.
// What acts later, such as a schedule, is asked when it is made: it starts its runs as the service itself.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"
import { Context, Effect } from "effect"
import type { ComponentRef } from "./Components.ts"
import { RunForbidden } from "./RunServiceErrors.ts"

/** What a caller can do with a component and its runs. Each operation has a route of the API. */
export const operations = ["describe", "start", "continue", "cancel", "get", "list", "watch", "approve"] as const
export type Operation = (typeof operations)[number]

/**
 * The scopes to which an operator has mapped the route of the operation: none without a mapping. `*` as the id means
 * any component: the scopes are those of all mappings that can be meant.
 */
export class RunScopes extends Context.Service<
  RunScopes,
  (operation: Operation, component: ComponentRef) => ReadonlyArray<string>
>()("@svc-runtime/agents/runService/RunPermission/RunScopes") {}

/** Both use what the component may do, so they need its scope. Ways to read and to cancel have scopes of their own. */
const isRunning = (operation: Operation): boolean => operation === "start" || operation === "continue"

const neededFor = (component: ComponentRef, operation: Operation, scopes: RunScopes["Service"]) => {
  const mapped = scopes(operation, component)
  if (!isRunning(operation)) return mapped
  const scope = `${ComponentKind.descriptions[component.kind].resource}:run`
  // a run is not continued by who may not start it
  return operation === "start" ? [scope, ...mapped] : [scope, ...scopes("start", component), ...mapped]
}

const missingIn = (
  principal: Principal.Principal,
  component: ComponentRef,
  operation: Operation,
  scopes: RunScopes["Service"]
): ReadonlyArray<string> => {
  if (principal.credential === "internal" || !principal.isScoped) return []
  const { id, kind } = component
  const { resource } = ComponentKind.descriptions[kind]
  return neededFor(component, operation, scopes).filter((scope) => !Principal.may(principal, scope, { resource, id }))
}

/** A mapping only adds to what the way in requires. */
export const check = (
  principal: Principal.Principal,
  component: ComponentRef,
  operation: Operation,
  scopes: RunScopes["Service"]
): Effect.Effect<void, RunForbidden> => {
  const missing = missingIn(principal, component, operation, scopes)
  return missing.length === 0 ? Effect.void : Effect.fail(new RunForbidden({ scopes: [...new Set(missing)] }))
}

/** Whether the caller has the scopes of the operation. */
export const allows = (...given: Parameters<typeof missingIn>): boolean => missingIn(...given).length === 0
