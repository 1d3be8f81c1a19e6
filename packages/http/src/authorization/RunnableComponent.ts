// The components that a caller may run, and their names in lists with components of all kinds.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"

export const mayRun = (principal: Principal.Principal, { id, kind }: ComponentRef): boolean => {
  const { resource } = ComponentKind.descriptions[kind]
  return Principal.may(principal, `${resource}:run`, { resource, id })
}

/** The name of a component among others: its id, with its kind if an earlier one has the same id. */
export const nameAmong = ({ id, kind }: ComponentRef, all: ReadonlyArray<ComponentRef>): string =>
  all.find((each) => each.id === id)?.kind === kind ? id : `${ComponentKind.descriptions[kind].resource}/${id}`
