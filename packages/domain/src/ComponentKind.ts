// The kinds of components and their differences on the wire.
import { Schema } from "effect"

export const ComponentKind = Schema.Literals(["agent", "team", "workflow"])
export type ComponentKind = typeof ComponentKind.Type

interface Description {
  /** The name in texts. */
  readonly label: string
  /** The name in paths and scopes. */
  readonly resource: "agents" | "teams" | "workflows"
  /** The last event of a failed run. */
  readonly errorEvent: "RunError" | "TeamRunError" | "WorkflowError"
  /** The last event of a cancelled run. */
  readonly cancelledEvent: "RunCancelled" | "TeamRunCancelled" | "WorkflowCancelled"
}

export const descriptions = {
  agent: { label: "Agent", resource: "agents", errorEvent: "RunError", cancelledEvent: "RunCancelled" },
  team: { label: "Team", resource: "teams", errorEvent: "TeamRunError", cancelledEvent: "TeamRunCancelled" },
  workflow: {
    label: "Workflow",
    resource: "workflows",
    errorEvent: "WorkflowError",
    cancelledEvent: "WorkflowCancelled"
  }
} as const satisfies Readonly<Record<ComponentKind, Description>>

/** The id of a component in the field of its kind; the other two are null. */
export const idsOf = <A extends string>(kind: ComponentKind, id: A | null) => ({
  agent_id: kind === "agent" ? id : null,
  team_id: kind === "team" ? id : null,
  workflow_id: kind === "workflow" ? id : null
})
