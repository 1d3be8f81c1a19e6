// The knowledge bases that a service offers: its own list, and those of its components, in teams and workflows too.
import type { Agent } from "../agent/Agent.ts"
import type { Factory } from "../factory/Factory.ts"
import type { Knowledge } from "../knowledge/Knowledge.ts"
import type { Team } from "../team/Team.ts"
import type { AnyWorkflow } from "../workflow/define/Node.ts"
import * as ReachedComponents from "./ReachedComponents.ts"

export interface Components {
  readonly knowledge: ReadonlyArray<Knowledge>
  readonly agents: ReadonlyArray<Agent | Factory<Agent>>
  readonly teams: ReadonlyArray<Team | Factory<Team>>
  readonly workflows: ReadonlyArray<AnyWorkflow | Factory<AnyWorkflow>>
}

/** Components of factories are not known before they are made. */
export const of = ({ agents, knowledge, teams, workflows }: Components): ReadonlyArray<Knowledge> => [
  ...knowledge,
  ...[...ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()].flatMap((agent) =>
    agent.knowledge?.bases ?? []
  )
]
