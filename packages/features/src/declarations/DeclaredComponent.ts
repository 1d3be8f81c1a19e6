// The component that a declaration names: itself, its factory, or its kind and its id.
import { isAgent } from "@svc-runtime/agents/agent/define/Agent"
import { isFactory } from "@svc-runtime/agents/factory/Factory"
import type * as Components from "@svc-runtime/agents/runService/Components"
import { isTeam } from "@svc-runtime/agents/team/Team"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import { Predicate } from "effect"

/** A component, its factory, or the kind and the id of one. */
export type Component = Components.ComponentRef | Components.Registered

const refOrUndefined = (value: Partial<Components.ComponentRef>): Components.ComponentRef | undefined => {
  const { id, kind } = value
  if (id === undefined) return undefined
  if (isAgent(value)) return { kind: "agent", id }
  if (isTeam(value)) return { kind: "team", id }
  if (isWorkflow(value)) return { kind: "workflow", id }
  // a factory has its kind, as a reference has
  return ComponentKind.isKind(kind) ? { kind, id } : undefined
}

/** The kind and the id of a component that `check` has seen. */
export const refOf = (component: Component): Components.ComponentRef =>
  refOrUndefined(component) ?? { kind: "agent", id: component.id }

/** Throws for another value. */
export const check = (owner: string, component: unknown): void => {
  if (component === undefined) return
  const expected = "an agent, a team, a workflow, or an object with kind and id"
  if (!Predicate.isObject(component)) throw mismatch(`${owner}: component`, expected, component)
  if (isFactory(component as never) || refOrUndefined(component) !== undefined) return
  const { kind } = component as { readonly kind?: unknown }
  throw kind === undefined || ComponentKind.isKind(kind)
    ? mismatch(`${owner}: component`, expected, component)
    : mismatch(`${owner}: component.kind`, "agent, team or workflow", kind)
}
