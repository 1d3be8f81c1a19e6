// The agents and teams in the steps of a workflow.
import type { Agent } from "../../agent/define/Agent.ts"
import type * as Team from "../../team/Team.ts"
import * as Executor from "../define/Executor.ts"
import { type AnyWorkflow, childrenOf, type Node } from "../define/Node.ts"

export interface StepExecutor {
  readonly component: Team.Member
  /** The agent, or the leader of the team. */
  readonly agent: Agent
  /** The agent leads a team of the same id. */
  readonly isLeader: boolean
}

const none = () => []

const inNode = (node: Node): ReadonlyArray<StepExecutor> =>
  node.type === "Step"
    ? Executor.match<ReadonlyArray<StepExecutor>>(node.executor, {
      function: none,
      named: none,
      agent: (agent) => [{ component: agent, agent, isLeader: false }],
      team: (team) => [{ component: team, agent: team.leader, isLeader: true }],
      workflow: of
    })
    : childrenOf(node).flatMap(inNode)

/** In the order of the steps, also of workflows in steps. Components that are named by their ids are left out. */
export const of = ({ steps }: AnyWorkflow): ReadonlyArray<StepExecutor> => steps.flatMap(inNode)

/** Undefined if no step has it, or only by its id. */
export const find = (workflow: AnyWorkflow, kind: "agent" | "team", id: string): Team.Member | undefined =>
  of(workflow).find(({ component, isLeader }) => component.id === id && isLeader === (kind === "team"))?.component
