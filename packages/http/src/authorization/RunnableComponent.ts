// The components that a caller may run or read, and their names in lists with components of all kinds.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"
import type * as Scope from "@svc-runtime/domain/Scope"

export const mayRun = (principal: Principal.Principal, { id, kind }: ComponentRef): boolean => {
  const { resource } = ComponentKind.descriptions[kind]
  return Principal.may(principal, `${resource}:run`, { resource, id })
}

/** Whether the caller may read or run each component. */
export const usable = (principal: Principal.Principal, resource: Scope.PerResource) => {
  const [readable, runnable] = [Principal.visible(principal, resource), Principal.visible(principal, resource, "run")]
  return ({ id }: { readonly id?: unknown }): boolean =>
    readable === "all" || runnable === "all" || readable.has(String(id)) || runnable.has(String(id))
}

/** The name of a component among others: its id, with its kind if an earlier one has the same id. */
export const nameAmong = ({ id, kind }: ComponentRef, all: ReadonlyArray<ComponentRef>): string =>
  all.find((each) => each.id === id)?.kind === kind ? id : `${ComponentKind.descriptions[kind].resource}/${id}`
