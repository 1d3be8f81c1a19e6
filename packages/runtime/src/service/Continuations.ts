// The continuation of each kind of component.
import type { ComponentKind } from "@svc/domain"
import * as AgentContinuation from "../agent/AgentContinuation.ts"
import type { Continuation } from "../run/Continuation.ts"
import * as TeamContinuation from "../team/TeamContinuation.ts"
import * as WorkflowContinuation from "../workflow/WorkflowContinuation.ts"

export const continuations: Readonly<Record<ComponentKind.ComponentKind, Continuation>> = {
  agent: AgentContinuation.continuation,
  team: TeamContinuation.continuation,
  workflow: WorkflowContinuation.continuation
}
