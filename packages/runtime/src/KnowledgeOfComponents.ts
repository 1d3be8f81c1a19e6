// The knowledge bases that a service offers: its own list, and those of its components, in teams and workflows too.
import { type Agent, isAgent } from "./agent/Agent.ts"
import { type Component, type Factory, isFactory } from "./factory/Factory.ts"
import type { Knowledge } from "./knowledge/Knowledge.ts"
import { isTeam, type Team } from "./team/Team.ts"
import { type AnyWorkflow, childrenOf, type Executor, type Node } from "./workflow/Node.ts"

export interface Components {
  readonly knowledge: ReadonlyArray<Knowledge>
  readonly agents: ReadonlyArray<Agent | Factory<Agent>>
  readonly teams: ReadonlyArray<Team | Factory<Team>>
  readonly workflows: ReadonlyArray<AnyWorkflow | Factory<AnyWorkflow>>
}

const ofAgent = ({ knowledge }: Agent): ReadonlyArray<Knowledge> => knowledge?.bases ?? []

const ofTeam = ({ leader, members }: Team): ReadonlyArray<Knowledge> => [
  ...ofAgent(leader),
  ...[...members.values()].flatMap((member) => isTeam(member) ? ofTeam(member) : ofAgent(member))
]

const ofExecutor = (executor: Executor): ReadonlyArray<Knowledge> => {
  switch (executor.type) {
    case "agent":
      return typeof executor.agent === "string" ? [] : ofAgent(executor.agent)
    case "team":
      return typeof executor.team === "string" ? [] : ofTeam(executor.team)
    case "workflow":
      return typeof executor.workflow === "string" ? [] : ofWorkflow(executor.workflow)
    case "function":
      return []
  }
}

const ofNode = (node: Node): ReadonlyArray<Knowledge> =>
  node.type === "Step" ? ofExecutor(node.executor) : childrenOf(node).flatMap(ofNode)

const ofWorkflow = ({ steps }: AnyWorkflow): ReadonlyArray<Knowledge> => steps.flatMap(ofNode)

const made = <C extends Component>(registered: ReadonlyArray<C | Factory<C>>): ReadonlyArray<C> =>
  registered.filter((each): each is C => !isFactory(each))

/** Components of factories are not known before they are made. */
export const of = ({ agents, knowledge, teams, workflows }: Components): ReadonlyArray<Knowledge> => [
  ...knowledge,
  ...made(agents).filter(isAgent).flatMap(ofAgent),
  ...made(teams).flatMap(ofTeam),
  ...made(workflows).flatMap(ofWorkflow)
]
