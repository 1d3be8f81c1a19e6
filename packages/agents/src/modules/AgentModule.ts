// Agents as a kind of component.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Service from "@svc-runtime/domain/Service"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as InnerContinuation from "../agent/continue/InnerContinuation.ts"
import { type Agent, isAgent } from "../agent/define/Agent.ts"
import * as AgentDetail from "../agent/define/AgentDetail.ts"
import type { AgentFactory } from "../agent/define/AgentFactory.ts"
import { type AgentNotFound, AgentRegistry } from "../agent/define/AgentRegistry.ts"
import * as AgentCommand from "../agent/execute/AgentCommand.ts"
import type { Services } from "../agent/execute/AgentDependencies.ts"
import type { ComponentModule } from "../component/ComponentModule.ts"
import type { SummaryContext } from "../component/Discovery.ts"
import { isFactory } from "../factory/Factory.ts"
import * as FactoryDetail from "../factory/FactoryDetail.ts"
import { modelRun } from "./modelRun.ts"

// An agent in the list of a service.

const make = (
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

export const AgentModule: ComponentModule<
  Agent,
  AgentCommand.AgentCommand,
  AgentNotFound,
  AgentRegistry,
  Service.ConfiguredAgent,
  AgentSchema.Detail | FactoryDetail.FactoryDetail<Agent["id"]>,
  Services
> = {
  ...modelRun,
  kind: "agent",
  registry: AgentRegistry,
  isComponent: isAgent,
  isCommand: (command: RunCommand): command is AgentCommand.AgentCommand => "agent" in command,
  decode: AgentCommand.decode,
  continuation: InnerContinuation.ofAgent,
  toSummary: make,
  toDetail: (agent, context) =>
    isFactory(agent)
      ? FactoryDetail.make(agent, context.databaseOf(agent).id)
      : AgentDetail.toDetail(agent, AgentDetail.dependenciesOf(context)(agent))
}
