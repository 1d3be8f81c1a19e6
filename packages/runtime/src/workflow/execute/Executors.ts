// The agents and teams in the steps of a workflow.
import type { Agent } from "../../agent/Agent.ts"
import { type AnyWorkflow, childrenOf, type Node } from "../define/Node.ts"

export interface StepExecutor {
  /** The agent, or the leader of the team. */
  readonly agent: Agent
  /** The agent leads a team of the same id. */
  readonly isLeader: boolean
}

const inNode = (node: Node): ReadonlyArray<StepExecutor> => {
  if (node.type !== "Step") return childrenOf(node).flatMap(inNode)
  const { executor } = node
  switch (executor.type) {
    case "function":
      return []
    case "agent":
      return typeof executor.agent === "string" ? [] : [{ agent: executor.agent, isLeader: false }]
    case "team":
      return typeof executor.team === "string" ? [] : [{ agent: executor.team.leader, isLeader: true }]
    case "workflow":
      return typeof executor.workflow === "string" ? [] : of(executor.workflow)
  }
}

/** In the order of the steps, also of workflows in steps. Components that are named by their ids are left out. */
export const of = ({ steps }: AnyWorkflow): ReadonlyArray<StepExecutor> => steps.flatMap(inNode)
