// The components that a service has, with the members of teams, the steps of workflows, and components that are tools.
import { Effect } from "effect"
import { type Agent, isAgent } from "../agent/define/Agent.ts"
import { registries } from "../modules/ComponentModules.ts"
import * as ComponentTool from "../nested/ComponentTool.ts"
import { isTeam, type Team } from "../team/Team.ts"
import * as Executor from "../workflow/define/Executor.ts"
import { type AnyWorkflow, childrenOf, type Node } from "../workflow/define/Node.ts"
import { isWorkflow } from "../workflow/Workflow.ts"

export interface ReachedComponents {
  /** Agents, and the leaders of teams. */
  readonly agents: ReadonlyMap<Agent, "agent" | "team">
  readonly teams: ReadonlySet<Team>
  readonly workflows: ReadonlySet<AnyWorkflow>
  /** The functions of steps. */
  readonly functions: ReadonlySet<Executor.FunctionExecutor>
}

/** Each component once. Ids in steps are not followed, and factories are not called. */
export const of = (components: Iterable<unknown>): ReachedComponents => {
  const agents = new Map<Agent, "agent" | "team">()
  const teams = new Set<Team>()
  const workflows = new Set<AnyWorkflow>()
  const functions = new Set<Executor.FunctionExecutor>()

  const addAgent = (agent: Agent, kind: "agent" | "team"): void => {
    if (agents.has(agent)) return
    agents.set(agent, kind)
    for (const { component } of ComponentTool.of(agent)) add(component)
  }
  const addTeam = (team: Team): void => {
    if (teams.has(team)) return
    teams.add(team)
    addAgent(team.leader, "team")
    for (const member of team.members.values()) add(member)
  }
  const addExecutor = (executor: Executor.Executor): void => {
    if (executor.type === "function") functions.add(executor)
    else add(Executor.component(executor))
  }
  const addNode = (node: Node): void =>
    node.type === "Step" ? addExecutor(node.executor) : childrenOf(node).forEach(addNode)
  const add = (value: unknown): void => {
    if (isAgent(value)) {
      addAgent(value, "agent")
    } else if (isTeam(value)) {
      addTeam(value)
    } else if (isWorkflow(value) && !workflows.has(value)) {
      workflows.add(value)
      value.steps.forEach(addNode)
    }
  }

  for (const component of components) add(component)
  return { agents, teams, workflows, functions }
}

/** What the registered components of the service reach. */
export const ofService = Effect.map(
  registries,
  (all) => of(Object.values(all).flatMap((registry): ReadonlyArray<unknown> => registry.registered))
)
