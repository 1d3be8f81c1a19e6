// The kinds of components and their differences on the wire.
import { Schema } from "effect"

export const ComponentKind = Schema.Literals(["agent", "team", "workflow"])
export type ComponentKind = typeof ComponentKind.Type

export const isKind = Schema.is(ComponentKind)

interface Description {
  /** The name in texts. */
  readonly label: string
  /** The name in paths and scopes. */
  readonly resource: "agents" | "teams" | "workflows"
  /** The last event of a failed run. */
  readonly errorEvent: "RunError" | "TeamRunError" | "WorkflowError"
  /** The field of this event with the message. */
  readonly errorField: "content" | "error"
  /** The `error_type` of this event, if the failure has no other one. */
  readonly errorType: "agent_run_error" | "workflow_run_error"
  /** The last event of a cancelled run. */
  readonly cancelledEvent: "RunCancelled" | "TeamRunCancelled" | "WorkflowCancelled"
  /** The key of a config with the components that it is made of. Without them it can be saved, but not run. */
  readonly parts: "members" | "steps" | undefined
  /** Whether runs have messages, so that runs and sessions can be forked, and runs have checkpoints. */
  readonly hasConversations: boolean
  /** Whether clients of A2A can read and cancel tasks by the paths of the contract. */
  readonly hasContractTasks: boolean
  /** The name of the operation in spans. */
  readonly operation: "invoke_agent" | "invoke_workflow"
  readonly spanKind: "AGENT" | "CHAIN"
}

export const descriptions = {
  agent: {
    label: "Agent",
    resource: "agents",
    errorEvent: "RunError",
    errorField: "content",
    errorType: "agent_run_error",
    cancelledEvent: "RunCancelled",
    parts: undefined,
    hasConversations: true,
    hasContractTasks: true,
    operation: "invoke_agent",
    spanKind: "AGENT"
  },
  team: {
    label: "Team",
    resource: "teams",
    errorEvent: "TeamRunError",
    errorField: "content",
    errorType: "agent_run_error",
    cancelledEvent: "TeamRunCancelled",
    parts: "members",
    hasConversations: true,
    hasContractTasks: true,
    operation: "invoke_agent",
    spanKind: "AGENT"
  },
  workflow: {
    label: "Workflow",
    resource: "workflows",
    errorEvent: "WorkflowError",
    errorField: "error",
    errorType: "workflow_run_error",
    cancelledEvent: "WorkflowCancelled",
    parts: "steps",
    hasConversations: false,
    hasContractTasks: false,
    operation: "invoke_workflow",
    spanKind: "CHAIN"
  }
} as const satisfies Readonly<Record<ComponentKind, Description>>

/** The id of a component in the field of its kind; the other two are null. */
export const idsOf = <A extends string>(kind: ComponentKind, id: A | null) => ({
  agent_id: kind === "agent" ? id : null,
  team_id: kind === "team" ? id : null,
  workflow_id: kind === "workflow" ? id : null
})
