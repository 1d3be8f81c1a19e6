// The registered components and factories of every kind, by id.
import type * as ComponentKind from "@svc/domain/ComponentKind"
import { Effect } from "effect"
import type { Agent } from "../agent/Agent.ts"
import type { AgentRegistry } from "../agent/AgentRegistry.ts"
import type { Factory } from "../factory/Factory.ts"
import type { Team } from "../team/Team.ts"
import type { TeamRegistry } from "../team/TeamRegistry.ts"
import type { AnyWorkflow } from "../workflow/Node.ts"
import type { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import { ComponentNotFound } from "./RunServiceErrors.ts"

export type AnyComponent = Agent | Team | AnyWorkflow
export type Registered = AnyComponent | Factory<AnyComponent>

export interface ComponentRef {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
}

export interface Registries {
  readonly agents: AgentRegistry["Service"]
  readonly teams: TeamRegistry["Service"]
  readonly workflows: WorkflowRegistry["Service"]
}

export interface Components {
  readonly find: (ref: ComponentRef) => Effect.Effect<Registered, ComponentNotFound>
}

const byId = (registered: ReadonlyArray<Registered>) =>
  new Map<string, Registered>(registered.map((each) => [each.id, each]))

export const make = ({ agents, teams, workflows }: Registries): Components => {
  const components = {
    agent: byId(agents.registered),
    team: byId(teams.registered),
    workflow: byId(workflows.registered)
  }
  return {
    find: ({ id, kind }) => {
      const found = components[kind].get(id)
      return found === undefined ? Effect.fail(new ComponentNotFound({ kind, id })) : Effect.succeed(found)
    }
  }
}
