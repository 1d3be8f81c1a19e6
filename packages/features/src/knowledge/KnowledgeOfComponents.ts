// The knowledge bases that a service offers: its own list, and those of its components, in teams and workflows too.
import type { Agent } from "@svc-runtime/agents/agent/define/Agent"
import type { Factory } from "@svc-runtime/agents/factory/Factory"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import type { Team } from "@svc-runtime/agents/team/Team"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import type { Knowledge } from "./KnowledgeBase.ts"

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
