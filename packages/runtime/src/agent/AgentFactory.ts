// Builds an agent for each request: from its user, its token or its `factory_input`.
import { Agent as AgentSchema } from "@svc/domain"
import type { JsonSchema } from "effect"
import * as Factory from "../factory/Factory.ts"
import type { AnySchema } from "../schema/AnySchema.ts"
import * as Agent from "./Agent.ts"

export type AgentFactory = Factory.Factory<Agent.Agent>

const agents: Factory.ComponentType<Agent.Agent> = {
  kind: "agent",
  idOf: (id) => AgentSchema.Id.make(id),
  is: Agent.isAgent,
  // the default name is the id
  complete: (agent, id) => ({ ...agent, id, name: agent.name === agent.id ? id : agent.name, storeEvents: true })
}

export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Factory.Options<S, Agent.Agent>
): AgentFactory => Factory.make(agents, options)
