// An agent in the list of a service.
import type * as Service from "@svc-runtime/domain/Service"
import type { SummaryContext } from "../../component/Discovery.ts"
import { isFactory } from "../../factory/Factory.ts"
import type { Agent } from "./Agent.ts"
import type { AgentFactory } from "./AgentFactory.ts"

export const make = (
  agent: Agent | AgentFactory,
  { databaseOf, modelOf }: SummaryContext
): Service.ConfiguredAgent => ({
  id: agent.id,
  ...(agent.name === undefined ? {} : { name: agent.name }),
  ...(agent.description === undefined ? {} : { description: agent.description }),
  db_id: databaseOf(agent),
  // an agent of a factory has a model when it is built
  ...(isFactory(agent) ? {} : {
    model: modelOf(agent.model),
    ...(agent.metadata === undefined ? {} : { metadata: agent.metadata })
  })
})
